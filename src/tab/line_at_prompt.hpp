#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "base/timeout.hpp"
#include "shell/editor_key.hpp"
#include "system/foreground.hpp"
#include "system/log_watch.hpp"
#include "tab/pane_terminal.hpp"
#include "tab/tab.hpp"

namespace terminally {

/// A shell, and what it ran then: see process_image.
struct ShellImage {
  int pid = 0;
  std::uint64_t image = 0;
};

/// What somebody else may have left at the prompt where a command is to be typed. It goes before the command,
/// and comes back after it where that is possible. One per command, which it does not know.
class LineAtPrompt {
 public:
  /// All three outlive it.
  LineAtPrompt(Tab& tab, PaneTerminal& terminal, LogWatch::Watch& watch)
      : tab_(tab), terminal_(terminal), watch_(watch) {}

  /// Takes away what may be there: text, a question for the rest of a command, an editor's command mode, a
  /// `read` of theirs. It is neither run nor completed. `shell`: whose prompt it was when it was last looked
  /// at. The next prompt is to be waited for, and then asked for the note. False: somebody types there just
  /// now, or has begun something, and nothing was taken.
  [[nodiscard]] boost::asio::awaitable<bool> take_away(Foreground prompt, ShellImage shell);
  /// What is to be told of it, once the next prompt is there; empty: there was nothing.
  [[nodiscard]] boost::asio::awaitable<std::string> note();
  [[nodiscard]] bool was_taken_away() const { return taken_away_; }
  /// Whether $? is that of our C-c.
  [[nodiscard]] bool exit_code_is_ours() const { return exit_code_is_ours_; }

  /// Once, after the command, before anybody learns that it ended: so no other can come between. Not where
  /// somebody has typed since: then it is false. True where there is nothing to be put back.
  [[nodiscard]] boost::asio::awaitable<bool> put_back(ShellImage shell);

  /// How our key is pressed that puts a line back.
  struct Putting {
    Milliseconds comes_within;  ///< the editor
    Milliseconds answers_within;
    PaneFact unless;
  };

 private:
  /// What the prompt showed before our C-c, and after it: lines of text without blanks at their ends.
  struct Rows {
    std::string last;  ///< of the line before, as it is shown
    std::string before;
    std::string prompt;
  };

  [[nodiscard]] bool is_in_editor(const Foreground& foreground) const;
  [[nodiscard]] boost::asio::awaitable<std::optional<ShellKind>> comes_to_editor(ShellImage shell,
                                                                                 Milliseconds within);
  [[nodiscard]] bool has_key(const Foreground& foreground) const;
  [[nodiscard]] boost::asio::awaitable<std::optional<std::string>> press_editor_key(std::string script,
                                                                                    PaneFact unless,
                                                                                    Typed typed,
                                                                                    Milliseconds within);
  [[nodiscard]] boost::asio::awaitable<std::optional<std::string>> press_putting_key(ShellImage shell,
                                                                                     std::string line,
                                                                                     Putting how);
  [[nodiscard]] boost::asio::awaitable<std::optional<HalfTyped>> ask_editor(Foreground foreground,
                                                                            ShellImage shell);
  template <typename Condition>
  [[nodiscard]] boost::asio::awaitable<void> wait_until_shown(Condition shown, Milliseconds within);
  [[nodiscard]] bool is_taken() const;
  [[nodiscard]] boost::asio::awaitable<bool> press_c_c();
  [[nodiscard]] std::string what_to_tell();

  Tab& tab_;
  PaneTerminal& terminal_;
  LogWatch::Watch& watch_;
  Foreground prompt_;              ///< where it was taken away
  std::optional<HalfTyped> half_;  ///< what the editor told
  Rows rows_;
  bool is_in_action_ = false;  ///< the editor still does what our key has it do
  std::uint64_t c_c_at_ = 0;   ///< the end of the log before our last C-c
  bool taken_away_ = false;
  bool exit_code_is_ours_ = false;
  std::string put_back_;  ///< what the shell gets back after the command: a word of it; empty: nothing
};

}  // namespace terminally
