// Clears a line that somebody left at a prompt with C-c, and words the note about the line.
#include "tab/prompt_cleaner.hpp"

#include <boost/asio.hpp>

#include "log/unfinished_line.hpp"

namespace terminally {
namespace {

namespace asio = boost::asio;

/// How long a new prompt may take to be in the log.
constexpr Milliseconds kPromptShown{200};
/// How many bytes of the log are searched for a new line.
constexpr std::size_t kReadForNewLineBytes = 4'096;
/// How long a C-c may take to be answered by a new line.
constexpr Milliseconds kTaken{300};
/// A longer line is not shown at all: half of a secret would not be recognized.
constexpr std::size_t kLongestInNote = 4'096;

/// `for_person`: as Tab::for_person.
std::string note_of_cleared(std::string line, bool for_person, bool ours) {
  std::string note =
      ours ? "text or keys were sent here since the last command (send_text, send_keys)"
           : "somebody may have typed here since the last command (a client was attached, or keys were sent)";
  note += ": C-c went first, so that nothing of it was run or completed";
  line.erase(0, line.find_first_not_of(' '));
  if (!line.empty()) {
    note += line.size() > kLongestInNote ? ". The line had " + std::to_string(line.size()) + " bytes; "
                                         : ". The line was: \"" + line + "\"; ";
    note += for_person ? "it is not put back"
                       : "it is not put back: tell them, or send_text with submit: false types it again";
  }
  return note;
}

}  // namespace

/// Waits until the log has what the shell showed, which may be late; not long: a prompt may be empty.
template <typename Condition>
asio::awaitable<void> PromptCleaner::wait_until_shown(Condition shown, Milliseconds within) {
  const auto shown_by = Clock::now() + within;
  while (!shown() && Clock::now() < shown_by) {
    co_await watch_.changed_by(shown_by);
  }
}

asio::awaitable<bool> PromptCleaner::take_away(Foreground prompt) {
  prompt_ = prompt;
  ours_ = tab_.shell.last_input() > tab_.shell.last_end();
  co_await wait_until_shown([this] { return !unfinished_line(tab_.log, tab_.cols).empty(); }, kPromptShown);
  row_as_shown_ = unfinished_line(tab_.log, tab_.cols);
  row_before_ = whole_unfinished_line(tab_.log, tab_.cols);  // whole, because it is masked later
  bool taken = false;
  for (int tries = 0; tries < 2 && !taken; ++tries) {
    c_c_at_ = tab_.log.end();
    const bool pressed = co_await press_c_c();
    if (!pressed) {
      break;
    }
    taken_away_ = true;
    tab_.shell.has_ended_command(Clock::now());  // the shell is on its way to the next prompt
    // A line editor may have taken the C-c for the argument of a key (vi's f): then there is no new prompt.
    taken = is_taken();
  }
  co_return taken_away_;
}

asio::awaitable<std::string> PromptCleaner::note() {
  // The rows of the prompt only decide what the note says: if the new row equals the old, there was no line.
  co_await wait_until_shown(
      [this] { return row_as_shown_.empty() || unfinished_line(tab_.log, tab_.cols) == row_as_shown_; },
      kPromptShown);
  const std::string prompt = whole_unfinished_line(tab_.log, tab_.cols);
  // A row that begins with the new prompt has the first line of a command after it. In front of the prompt
  // may stand what the terminal echoed while there was none yet. A brief one ("$") may stand in any text.
  constexpr std::size_t kBriefPrompt = 2;
  std::size_t at = prompt.empty() ? std::string::npos : row_before_.find(prompt);
  at = at > 0 && prompt.size() <= kBriefPrompt ? std::string::npos : at;
  std::string line = at == std::string::npos ? row_before_ : row_before_.substr(at + prompt.size());
  if (row_before_.empty() ? ours_ : line.empty()) {
    co_return std::string();
  }
  co_return note_of_cleared(std::move(line), tab_.for_person, ours_);
}

/// Whether our C-c was answered by a new line.
bool PromptCleaner::is_taken() const {
  return tab_.log.read(c_c_at_, kReadForNewLineBytes).bytes.find('\n') != std::string::npos;
}

/// Presses C-c, unless a person has begun something since the prompt was looked at.
asio::awaitable<bool> PromptCleaner::press_c_c() {
  const Foreground now = look_at_foreground(tab_.pane_pid);
  bool pressed = now.pid == prompt_.pid && now.kind == prompt_.kind;
  if (pressed) {
    pressed = co_await terminal_.type("\x03", TypedAs::line, PaneFact::person_types);
  }
  if (pressed) {
    // A second C-c that the shell handles late would discard what is typed next.
    co_await wait_until_shown([this] { return is_taken(); }, kTaken);
    co_await sleep_for(Milliseconds(50));
  }
  co_return pressed;
}

}  // namespace terminally
