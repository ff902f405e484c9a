#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <string>

#include "base/timeout.hpp"
#include "system/foreground.hpp"
#include "system/log_watch.hpp"
#include "tab/pane_terminal.hpp"
#include "tab/tab.hpp"

namespace terminally {

/// What somebody else may have left at the prompt where a command is to be typed. C-c ends it before the
/// command, and a note tells what it was. One per command, which it does not know.
class LineAtPrompt {
 public:
  /// All three outlive it.
  LineAtPrompt(Tab& tab, PaneTerminal& terminal, LogWatch::Watch& watch)
      : tab_(tab), terminal_(terminal), watch_(watch) {}

  /// Takes away what may be there: text, a question for the rest of a command, an editor's command mode, a
  /// `read` of theirs. It is neither run nor completed. The next prompt is to be waited for, and then asked
  /// for the note. False: somebody types there just now, or has begun something, and nothing was taken.
  [[nodiscard]] boost::asio::awaitable<bool> take_away(Foreground prompt);
  /// What is to be told of it, once the next prompt is there; empty: there was nothing.
  [[nodiscard]] boost::asio::awaitable<std::string> note();
  [[nodiscard]] bool was_taken_away() const { return taken_away_; }
  /// Whether $? is that of our C-c.
  [[nodiscard]] bool exit_code_is_ours() const { return taken_away_ && prompt_.shell != ShellKind::fish; }

 private:
  template <typename Condition>
  [[nodiscard]] boost::asio::awaitable<void> wait_until_shown(Condition shown, Milliseconds within);
  [[nodiscard]] bool is_taken() const;
  [[nodiscard]] boost::asio::awaitable<bool> press_c_c();

  Tab& tab_;
  PaneTerminal& terminal_;
  LogWatch::Watch& watch_;
  Foreground prompt_;  ///< where it was taken away
  // What the prompt showed before our C-c: lines of text without blanks at their ends.
  std::string row_as_shown_;
  std::string row_before_;
  std::uint64_t c_c_at_ = 0;  ///< the end of the log before our last C-c
  bool taken_away_ = false;
};

}  // namespace terminally
