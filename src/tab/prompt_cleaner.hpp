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

/// Clears the prompt where a command is to be typed of what somebody else may have left there: C-c ends the
/// line, and a note tells what it was. One object for each command.
class PromptCleaner {
 public:
  /// All three must outlive the object.
  PromptCleaner(Tab& tab, PaneTerminal& terminal, LogWatch::Watch& watch)
      : tab_(tab), terminal_(terminal), watch_(watch) {}

  /// Ends by C-c what may be there: text, a continuation prompt, an editor's command mode, a `read`. The line
  /// is neither run nor completed. The caller then waits for the next prompt and asks for the note. False:
  /// somebody types there just now, or has begun something, and no C-c was sent.
  [[nodiscard]] boost::asio::awaitable<bool> take_away(Foreground prompt);
  /// The note about the line, once the next prompt is there; empty: there was no line.
  [[nodiscard]] boost::asio::awaitable<std::string> note();
  [[nodiscard]] bool was_taken_away() const { return taken_away_; }
  /// Whether `$?` is now that of our C-c.
  [[nodiscard]] bool exit_code_is_ours() const { return taken_away_ && prompt_.shell != ShellKind::fish; }

 private:
  template <typename Condition>
  [[nodiscard]] boost::asio::awaitable<void> wait_until_shown(Condition shown, Milliseconds within);
  [[nodiscard]] bool is_taken() const;
  [[nodiscard]] boost::asio::awaitable<bool> press_c_c();

  Tab& tab_;
  PaneTerminal& terminal_;
  LogWatch::Watch& watch_;
  Foreground prompt_;  ///< the foreground when the caller looked
  // What the prompt showed before our C-c: lines of text without blanks at their ends.
  std::string row_as_shown_;
  std::string row_before_;
  std::uint64_t c_c_at_ = 0;  ///< the end of the log before our last C-c
  bool taken_away_ = false;
  bool ours_ = false;  ///< text or keys were sent by a call since the last command
};

}  // namespace terminally
