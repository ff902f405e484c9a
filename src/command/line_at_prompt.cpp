#include "command/line_at_prompt.hpp"

#include <boost/asio.hpp>
#include <utility>

#include "base/files.hpp"
#include "command/awaiting_input.hpp"
#include "command/busy.hpp"
#include "command/prompt.hpp"
#include "shell/shell_quoting.hpp"
#include "system/tty_wait.hpp"

namespace terminally {
namespace {

namespace asio = boost::asio;

/// How long a new prompt may take to be in the log.
constexpr Milliseconds kPromptShown{200};
/// How much is read of a log for one.
constexpr std::size_t kReadForPromptBytes = 4'096;
/// How often we look whether a person who types in the tab just now has paused.
constexpr Milliseconds kPauses{100};

/// How long the key of ours may take to be answered. It is, in a few milliseconds, where it is bound.
constexpr Milliseconds kEditorAnswers{500};
constexpr Milliseconds kEditorLook{2};
/// How long an editor may take to read what was typed. It is not one where a `read` of a person waits.
constexpr Milliseconds kEditorReads{500};
/// How long the prompt may take to come after the command, for what is put back there.
constexpr Milliseconds kEditorComes{2'000};
/// Of a longer one nothing is said: of half a secret nobody sees that it is one.
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

/// Who types in the tab just now is not interrupted in it.
asio::awaitable<void> LineAtPrompt::wait_for_a_pause(Clock::time_point give_up_at,
                                                     std::function<bool()> is_called_off) {
  for (;;) {
    const bool typing = co_await terminal_.is(PaneFact::typed_into);
    if (!typing) {
      co_return;
    }
    if (Clock::now() >= give_up_at || is_called_off()) {
      throw busy_with_typing(tab_);
    }
    co_await sleep_for(kPauses);
  }
}

/// Whether the shell's own line editor has the terminal, and has read all that was typed.
bool LineAtPrompt::is_in_editor(const Foreground& foreground) const {
  const auto mode = terminal_mode(tab_.tty);
  return foreground.shell && mode && is_of_editor(*foreground.shell, *mode) && unread_input(tab_.tty) == 0 &&
         prompt_state(foreground, tab_.tty) == Prompt::ready;
}

/// Waits for that in the shell that this is, or was, typed into.
asio::awaitable<bool> LineAtPrompt::comes_to_editor(ShellImage shell, Milliseconds within) {
  const auto give_up_at = Clock::now() + within;
  for (;;) {
    const Foreground now = look_at_foreground(tab_.pane_pid);
    const bool same = now.pid == shell.pid && !is_replaced(shell.pid, shell.image);
    if (same && is_in_editor(now)) {
      co_return true;
    }
    if (!same || Clock::now() >= give_up_at) {
      co_return false;
    }
    co_await sleep_for(kEditorLook);
  }
}

/// Whether a command of ours has ended in this very shell.
bool LineAtPrompt::has_key(const Foreground& foreground) const {
  const auto last = tab_.records.latest();
  return last && foreground.reads_our_files && last->shell_pid == foreground.pid &&
         last->state != CommandState::running && last->reason != Reason::no_shell_answered &&
         !is_replaced(last->shell_pid, last->shell_image);
}

/// Nothing: it was not pressed, or not answered.
asio::awaitable<std::optional<std::string>> LineAtPrompt::press_key(std::string script, PaneFact unless,
                                                                    Typed typed) {
  const EditorKeyFiles files = tab_.files.editor_key();
  std::optional<std::string> answer;
  try {
    write_file(files.script, script);
    write_file(files.answer, "");  // ours, so that the shell's umask does not make it readable for others
    const bool pressed = co_await terminal_.type(std::string(kEditorKey), typed, unless);
    const auto give_up_at = Clock::now() + kEditorAnswers;
    for (bool waits = pressed; waits;
         waits = answer && !answer->ends_with('\0') && Clock::now() < give_up_at) {
      co_await sleep_for(kEditorLook);
      answer = read_file(files.answer);
    }
  } catch (const Error&) {  // NOLINT(bugprone-empty-catch): it is not told, and so not put back
  }
  remove_file(files.script);
  remove_file(files.answer);
  const bool answered = answer && answer->ends_with('\0');
  co_return answered ? std::move(answer) : std::nullopt;
}

/// What a person has half typed there, where the editor can tell.
asio::awaitable<std::optional<HalfTyped>> LineAtPrompt::ask_editor(Foreground foreground, ShellImage shell) {
  if (!has_key(foreground) || !co_await comes_to_editor(shell, kEditorReads)) {
    co_return std::nullopt;
  }
  const ShellKind kind = *foreground.shell;
  const std::uint64_t from = tab_.log.end();
  std::string script = telling_script(kind, tab_.files.editor_key().answer);
  const auto answer = co_await press_key(std::move(script), PaneFact::typed_into, Typed::key);
  auto half = answer ? decode_half_typed(kind, *answer) : std::nullopt;
  const auto drawn_by = Clock::now() + kPromptShown;
  while (half && kind == ShellKind::bash && half->prompt.empty() && Clock::now() < drawn_by) {
    co_await sleep_for(kEditorLook);
    half->prompt = drawn_prompt(tab_.log.read(from, kReadForPromptBytes).bytes);
  }
  co_return half;
}

asio::awaitable<bool> LineAtPrompt::put_back(ShellImage shell) {
  if (put_back_.empty()) {
    co_return true;
  }
  const bool ready = co_await comes_to_editor(shell, kEditorComes);
  bool done = false;
  if (ready) {
    const ShellKind kind = *look_at_foreground(tab_.pane_pid).shell;
    std::string script = putting_script(kind, put_back_, tab_.files.editor_key().answer);
    const PaneFact unless = PaneFact::full_screen | PaneFact::touched_a_moment_ago;
    const auto answer = co_await press_key(std::move(script), unless, Typed::text_put_back);
    done = answer.has_value();
  }
  if (!done) {
    tab_.line_put_back.clear();
  }
  co_return done;
}

asio::awaitable<std::string> LineAtPrompt::take_away(Foreground prompt, ShellImage shell,
                                                     Clock::time_point give_up_at,
                                                     std::function<bool()> is_called_off) {
  co_await wait_for_a_pause(give_up_at, std::move(is_called_off));
  const std::string row = unfinished_line(tab_.log, tab_.cols);
  Rows rows{whole_unfinished_line(tab_.log, tab_.cols), {}};  // who masks it needs all of it
  const std::optional<HalfTyped> half = co_await ask_editor(prompt, shell);
  bool taken = false;
  for (int tries = 0; tries < 2 && !taken; ++tries) {
    const std::uint64_t before = tab_.log.end();
    co_await interrupt();
    tab_.last_end = Clock::now();  // what runs now is a step to the next prompt
    // An editor may have taken it for the argument of a key (vi's f): then there is no new prompt.
    taken = tab_.log.read(before, kReadForPromptBytes).bytes.find('\n') != std::string::npos;
  }
  taken_away_ = true;
  co_await wait_for_prompt(tab_, give_up_at);
  // Only what is told depends on the row: a new prompt like the old one means that there was nothing.
  const auto shown_by = Clock::now() + kPromptShown;
  while (!row.empty() && unfinished_line(tab_.log, tab_.cols) != row && Clock::now() < shown_by) {
    co_await watch_.changed_by(shown_by);
  }
  rows.prompt = whole_unfinished_line(tab_.log, tab_.cols);
  exit_code_is_ours_ = prompt.shell != ShellKind::fish;
  co_return note_of(prompt, half, rows);
}

/// What is told, and what is put back.
std::string LineAtPrompt::note_of(const Foreground& foreground, const std::optional<HalfTyped>& half,
                                  const Rows& rows) {
  const bool same = !rows.before.empty() && rows.before == rows.prompt;
  if (half && half->whole ? half->text.empty() : same) {
    return {};  // there was nothing
  }
  if (half) {
    const bool whole = half->whole || (is_first_line(*half, rows.prompt) && !half->text.empty());
    const bool again = !half->text.empty() && half->text == tab_.line_put_back;
    put_back_ = whole ? quoted_for(*foreground.shell, half->text) : "";
    tab_.line_put_back = whole ? half->text : "";
    return note_of_cleared(half->text, whole, again, tab_.for_person);
  }
  // Behind the prompt that came next stands the first line of a command, which is all of it.
  const bool first = !rows.prompt.empty() && rows.before.starts_with(rows.prompt);
  const bool kept = first && foreground.shell == ShellKind::zsh && foreground.reads_our_files;
  put_back_ = kept ? kLineThatZshKeeps : "";
  return note_of_cleared(first ? rows.before.substr(rows.prompt.size()) : rows.before, kept, false,
                         tab_.for_person);
}

asio::awaitable<void> LineAtPrompt::interrupt() {
  co_await terminal_.type("\x03", Typed::line);
  co_await watch_.changed_by(Clock::now() + Milliseconds(300));
  co_await sleep_for(Milliseconds(50));
}

}  // namespace terminally
