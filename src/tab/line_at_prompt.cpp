#include "tab/line_at_prompt.hpp"

#include <boost/asio.hpp>
#include <utility>

#include "base/error.hpp"
#include "base/files.hpp"
#include "log/unfinished_line.hpp"
#include "shell/shell_quoting.hpp"
#include "system/tty_wait.hpp"

namespace terminally {
namespace {

namespace asio = boost::asio;

/// How long a new prompt may take to be in the log.
constexpr Milliseconds kPromptShown{200};
/// How much is read of a log for one.
constexpr std::size_t kReadForPromptBytes = 4'096;

/// How long a C-c may take to be answered by a new line.
constexpr Milliseconds kTaken{300};
/// How long the key of ours may take to be answered. It is, in a few milliseconds, where it is bound.
constexpr Milliseconds kEditorAnswers{1'500};
/// The same for a second one, where the first was lost: to a C-c that the editor had not heard yet.
constexpr Milliseconds kEditorAnswersAgain{700};
constexpr Milliseconds kEditorLook{2};
/// How long an editor may take to read what was typed. It is not one where a `read` of a person waits.
constexpr Milliseconds kEditorReads{500};
/// How long the prompt may take to come after the command, for what is put back there.
constexpr Milliseconds kEditorComes{2'000};
/// Not into what somebody has touched. The second key would count as such a touch itself.
constexpr LineAtPrompt::Putting kPut{kEditorComes, kEditorAnswers,
                                     PaneFact::full_screen | PaneFact::touched_a_moment_ago};
constexpr LineAtPrompt::Putting kPutAgain{kEditorReads, kEditorAnswersAgain, PaneFact::full_screen};
/// A longer line is not shown at all: cut in two, a secret would not be known for one.
constexpr std::size_t kLongestInNote = 4'096;

/// `for_person`: as Tab::for_person.
std::string note_of_cleared(std::string line, bool put_back, bool again, bool for_person) {
  std::string note =
      (again ? "the line that was put back at the prompt is still there"
             : "somebody may have typed here since the last command (a client was attached, or keys were "
               "sent)") +
      std::string(": C-c went first, so that nothing of it was run or completed");
  line.erase(0, line.find_first_not_of(' '));
  if (!line.empty()) {
    note += line.size() > kLongestInNote ? ". The line had " + std::to_string(line.size()) + " bytes; "
                                         : ". The line was: \"" + line + "\"; ";
    note += put_back ? "it is put back at the prompt after this command, not entered; " +
                           std::string(for_person ? "C-u there" : "send_keys C-u") + " takes it away for good"
            : for_person ? "it is not put back"
                         : "it is not put back: tell them, or send_text with submit: false types it again";
  }
  return note;
}

}  // namespace

/// Whether the shell's own line editor has the terminal, has read all that was typed, and waits for more. It
/// may sleep for something else: what an action of a key has begun (fish).
bool LineAtPrompt::is_in_editor(const Foreground& foreground) const {
  const auto mode = terminal_mode(tab_.tty);
  return foreground.shell && mode && is_of_editor(*foreground.shell, *mode) && unread_input(tab_.tty) == 0 &&
         prompt_state(foreground, tab_.tty) == Prompt::ready &&
         waits_for_key(foreground.pid, terminal_device(tab_.tty));
}

/// Waits until the line editor of this shell has the terminal, and tells what shell it is. nullopt: not in
/// time, or another shell has it.
asio::awaitable<std::optional<ShellKind>> LineAtPrompt::comes_to_editor(ShellImage shell,
                                                                        Milliseconds within) {
  const auto give_up_at = Clock::now() + within;
  for (;;) {
    const Foreground now = look_at_foreground(tab_.pane_pid);
    const bool same = now.pid == shell.pid && !is_replaced(shell.pid, shell.image);
    if (same && is_in_editor(now)) {
      co_return now.shell;
    }
    if (!same || Clock::now() >= give_up_at) {
      co_return std::nullopt;
    }
    co_await sleep_for(kEditorLook);
  }
}

/// Whether a command of ours has ended in this very shell.
bool LineAtPrompt::has_key(const Foreground& foreground) const {
  const auto last = tab_.records.latest();
  return last && reads_our_files(foreground) && last->shell_pid == foreground.pid &&
         last->state != CommandState::running && last->reason != Reason::no_shell_answered &&
         !is_replaced(last->shell_pid, last->shell_image);
}

/// What the key of ours answers; empty: nothing in time; nullopt: it was not pressed.
asio::awaitable<std::optional<std::string>> LineAtPrompt::press_editor_key(std::string script,
                                                                           PaneFact unless, Typed typed,
                                                                           Milliseconds within) {
  const EditorKeyFiles files = tab_.files.editor_key();
  std::optional<std::string> answer;
  bool pressed = false;
  try {
    write_file(files.script, script);
    write_file(files.answer, "");  // ours, so that the shell's umask does not make it readable for others
    pressed = co_await terminal_.type(std::string(kEditorKey), typed, unless);
    const auto give_up_at = Clock::now() + within;
    for (bool waits = pressed; waits;
         waits = answer && !answer->ends_with('\0') && Clock::now() < give_up_at) {
      co_await sleep_for(kEditorLook);
      answer = read_file(files.answer);
    }
  } catch (const Error&) {  // NOLINT(bugprone-empty-catch): it is not told, and so not put back
  }
  remove_file(files.script);
  remove_file(files.answer);
  if (!pressed) {
    co_return std::nullopt;
  }
  const bool answered = answer && answer->ends_with('\0');
  co_return answered ? std::move(*answer) : std::string();
}

/// What a person has half typed there, where the editor can tell.
asio::awaitable<std::optional<HalfTyped>> LineAtPrompt::ask_editor(Foreground foreground, ShellImage shell) {
  is_in_action_ = false;
  std::optional<ShellKind> editor;
  if (has_key(foreground)) {
    editor = co_await comes_to_editor(shell, kEditorReads);
  }
  if (!editor) {
    co_return std::nullopt;
  }
  const ShellKind kind = *editor;
  const std::uint64_t from = tab_.log.end();
  std::string script = telling_script(kind, tab_.files.editor_key().answer);
  const auto answer =
      co_await press_editor_key(std::move(script), PaneFact::person_types, Typed::key, kEditorAnswers);
  auto half = answer ? decode_half_typed(kind, *answer) : std::nullopt;
  // It answers from within the key's action: a C-c that came before the end of that would end the action, and
  // leave the line (fish).
  const auto back = co_await comes_to_editor(shell, kEditorReads);
  is_in_action_ = answer && !answer->empty() && !back;
  const auto drawn_by = Clock::now() + kPromptShown;
  while (half && kind == ShellKind::bash && half->prompt.empty() && Clock::now() < drawn_by) {
    co_await sleep_for(kEditorLook);
    half->prompt = drawn_prompt(tab_.log.read(from, kReadForPromptBytes).bytes);
  }
  co_return half;
}

/// As press_editor_key; nullopt also where the editor has not come.
asio::awaitable<std::optional<std::string>> LineAtPrompt::press_putting_key(ShellImage shell,
                                                                            std::string line, Putting how) {
  const auto editor = co_await comes_to_editor(shell, how.comes_within);
  if (!editor) {
    co_return std::nullopt;
  }
  std::string script = putting_script(*editor, line, tab_.files.editor_key().answer);
  co_return co_await press_editor_key(std::move(script), how.unless, Typed::text_put_back,
                                      how.answers_within);
}

asio::awaitable<bool> LineAtPrompt::put_back(ShellImage shell) {
  const std::string line = std::exchange(put_back_, {});
  if (line.empty()) {
    co_return true;
  }
  auto answer = co_await press_putting_key(shell, line, kPut);
  if (answer && answer->empty()) {  // it was lost; where it comes yet, the second finds something standing
    answer = co_await press_putting_key(shell, line, kPutAgain);
  }
  const bool done = answer && !answer->empty();
  if (!done) {
    tab_.line_put_back.clear();
  }
  co_return done;
}

/// The shell reads before the log has what it showed. For a moment only: a prompt may be empty.
template <typename Condition>
asio::awaitable<void> LineAtPrompt::wait_until_shown(Condition shown, Milliseconds within) {
  const auto shown_by = Clock::now() + within;
  while (!shown() && Clock::now() < shown_by) {
    co_await watch_.changed_by(shown_by);
  }
}

asio::awaitable<bool> LineAtPrompt::take_away(Foreground prompt, ShellImage shell) {
  prompt_ = prompt;
  co_await wait_until_shown([this] { return !unfinished_line(tab_.log, tab_.cols).empty(); }, kPromptShown);
  rows_.last = unfinished_line(tab_.log, tab_.cols);
  rows_.before = whole_unfinished_line(tab_.log, tab_.cols);  // who masks it needs all of it
  half_ = co_await ask_editor(prompt, shell);
  bool taken = false;
  for (int tries = 0; tries < 2 && !taken && !is_in_action_; ++tries) {
    c_c_at_ = tab_.log.end();
    const bool pressed = co_await press_c_c();
    if (!pressed) {
      break;
    }
    taken_away_ = true;
    tab_.shell.has_ended_command(Clock::now());  // what runs now is a step to the next prompt
    // An editor may have taken it for the argument of a key (vi's f): then there is no new prompt.
    taken = is_taken();
  }
  if (!taken_away_ && half_ && prompt.shell == ShellKind::bash) {  // there it went as it was told
    tab_.line_put_back = half_->text;
    put_back_ = half_->text.empty() ? "" : quoted_for(ShellKind::bash, half_->text);
  }
  exit_code_is_ours_ = taken_away_ && prompt.shell != ShellKind::fish;
  co_return taken_away_;
}

asio::awaitable<std::string> LineAtPrompt::note() {
  // The rows of the prompt decide only on what the note says: where the new one is like the old one, nothing
  // stood there.
  co_await wait_until_shown(
      [this] { return rows_.last.empty() || unfinished_line(tab_.log, tab_.cols) == rows_.last; },
      kPromptShown);
  rows_.prompt = whole_unfinished_line(tab_.log, tab_.cols);
  co_return what_to_tell();
}

/// The text of the note. Sets put_back_ as well.
std::string LineAtPrompt::what_to_tell() {
  // The log may be late with what the editor knows: its rows decide only where that tells of no text.
  const bool same = !rows_.before.empty() && rows_.before == rows_.prompt;
  const bool told_text = half_ && !half_->text.empty();
  if (!told_text && ((half_ && half_->whole) || same)) {
    return {};  // there was nothing
  }
  if (half_) {
    const bool whole = half_->whole || (is_first_line(*half_, rows_.prompt) && !half_->text.empty());
    const bool again = !half_->text.empty() && half_->text == tab_.line_put_back;
    put_back_ = whole ? quoted_for(*prompt_.shell, half_->text) : "";
    tab_.line_put_back = whole ? half_->text : "";
    return note_of_cleared(half_->text, whole, again, tab_.for_person);
  }
  // A row that begins with the prompt that came next has the first line of a command behind it: then there
  // are no lines before it.
  const bool first = !rows_.prompt.empty() && rows_.before.starts_with(rows_.prompt);
  const bool kept = first && prompt_.shell == ShellKind::zsh && reads_our_files(prompt_);
  put_back_ = kept ? kLineThatZshKeeps : "";
  return note_of_cleared(first ? rows_.before.substr(rows_.prompt.size()) : rows_.before, kept, false,
                         tab_.for_person);
}

/// Whether our C-c was answered by a new line.
bool LineAtPrompt::is_taken() const {
  return tab_.log.read(c_c_at_, kReadForPromptBytes).bytes.find('\n') != std::string::npos;
}

/// Not into what a person has begun since their prompt was looked at. Where the editor has told its line,
/// that was a moment ago, and nobody typed then.
asio::awaitable<bool> LineAtPrompt::press_c_c() {
  const Foreground now = look_at_foreground(tab_.pane_pid);
  bool pressed = now.pid == prompt_.pid && now.kind == prompt_.kind;
  if (pressed) {
    pressed = co_await terminal_.type("\x03", Typed::line, half_ ? PaneFact::none : PaneFact::person_types);
  }
  if (pressed) {
    // Another in the midst of it would take what comes next.
    co_await wait_until_shown([this] { return is_taken(); }, kTaken);
    co_await sleep_for(Milliseconds(50));
  }
  co_return pressed;
}

}  // namespace terminally
