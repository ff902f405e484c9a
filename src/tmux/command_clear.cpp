// What somebody may have left at the prompt is taken away before a command is typed there.

#include <boost/asio.hpp>

#include "tmux/awaiting_input.hpp"
#include "tmux/busy.hpp"
#include "tmux/command_run.hpp"
#include "tmux/prompt.hpp"
#include "tmux/touched.hpp"

namespace terminally {
namespace {

namespace asio = boost::asio;

/// How long a new prompt may take to be in the log.
constexpr Milliseconds kPromptShown{200};
/// How often we look whether a person who types in the tab just now has paused.
constexpr Milliseconds kPauses{100};

std::string note_of_cleared(std::string line, bool put_back) {
  std::string note =
      "somebody may have typed here since the last command (a client was attached, or keys were sent): C-c "
      "went "
      "first, so that nothing of it was run or completed";
  line.erase(0, line.find_first_not_of(' '));
  if (!line.empty()) {
    note += ". The line was: \"" + line + "\"; " +
            (put_back ? "it is put back at the prompt after this command, not entered"
                      : "it is not put back: tell them, or send_text with submit: false types it again");
  }
  return note;
}

}  // namespace

/// Who types in the tab just now is not interrupted in it.
asio::awaitable<void> CommandRun::wait_for_a_pause(Clock::time_point give_up_at) {
  for (;;) {
    const bool typing = co_await is_true(is_typed_into());
    if (!typing) {
      co_return;
    }
    if (Clock::now() >= give_up_at || is_called_off()) {
      throw busy_with_typing(*tab_);
    }
    co_await sleep_for(kPauses);
  }
}

/// Takes away what may be at the prompt: text, a question for the rest of a command, an editor's command
/// mode, a `read` of theirs. It is neither run nor completed.
asio::awaitable<void> CommandRun::clear_prompt(const Foreground& foreground, Clock::time_point give_up_at) {
  co_await wait_for_a_pause(give_up_at);
  const std::string row = unfinished_line(tab_->log, tab_->cols);
  const std::string line = whole_unfinished_line(tab_->log, tab_->cols);  // who masks it needs all of it
  bool taken = false;
  for (int tries = 0; tries < 2 && !taken; ++tries) {
    const std::uint64_t before = tab_->log.end();
    co_await press_interrupt_key();
    tab_->last_end = Clock::now();  // what runs now is a step to the next prompt
    // An editor may have taken it for the argument of a key (vi's f): then there is no new prompt.
    taken = tab_->log.read(before, kTraceLineBytes).bytes.find('\n') != std::string::npos;
  }
  cleared_ = true;
  co_await wait_for_prompt(*tab_, give_up_at);
  // Only what is told depends on the row: a new prompt like the old one means that there was nothing.
  const auto shown_by = Clock::now() + kPromptShown;
  while (!row.empty() && unfinished_line(tab_->log, tab_->cols) != row && Clock::now() < shown_by) {
    co_await finish_by(shown_by, watch_.changed());
  }
  const std::string prompt = unfinished_line(tab_->log, tab_->cols);
  if (!row.empty() && prompt == row) {
    co_return;
  }
  // Only a line at the shell's first prompt is a whole one: it stands behind the same prompt.
  const bool is_whole = !prompt.empty() && line.starts_with(prompt);
  put_back_ = is_whole && foreground.shell == ShellKind::zsh && foreground.reads_our_files;
  record_.notes.push_back(note_of_cleared(is_whole ? line.substr(prompt.size()) : line, put_back_));
}

asio::awaitable<void> CommandRun::press_interrupt_key() {
  co_await tmux_.change(type_bytes(to_string(tab_->pane), "\x03", {}, Typed::line));
  co_await finish_by(Clock::now() + Milliseconds(300), watch_.changed());
  co_await sleep_for(Milliseconds(50));
}

}  // namespace terminally
