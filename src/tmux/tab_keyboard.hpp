#pragma once

#include <memory>
#include <string>

#include "base/awaitable.hpp"
#include "tab/tab.hpp"
#include "tmux/tabs/requests.hpp"
#include "tmux/wire/client.hpp"

namespace terminally {

/// Types into whatever has a tab's foreground, outside of the commands that are run there. What is typed is
/// typed once, or Error is thrown. In copy mode typed keys would be swallowed: it is left first.
class TabKeyboard {
 public:
  /// `tmux` reaches the server that has the tab, and no other.
  /// `to_program`: a program takes what is typed, which is none of the prompt's (others_typed.hpp).
  TabKeyboard(TmuxClient tmux, std::shared_ptr<const Tab> tab, bool to_program = false);

  /// Commands of tmux that type something.
  [[nodiscard]] Awaitable<void> type(std::string commands) const;

  /// For whoever reads it. Where a command waits for the text, tmux types it only while that goes on: it is
  /// not for the prompt after it. `bracketed`: as a paste, for a program that asked for it.
  [[nodiscard]] Awaitable<void> paste(std::string text, bool bracketed, bool enter) const;

  /// Puts the text on the prompt's line, which is waited for until `give_up_at`, and does not submit it.
  /// Throws Error(invalid_argument) where the shell would run a line of it. Whether the shell was seen to
  /// have read all of it: a key that came before could cut the paste, and what is left of it would be typed.
  [[nodiscard]] Awaitable<bool> paste_at_prompt(std::string text, Clock::time_point give_up_at) const;

  /// The bytes, as keys, while the command of this nonce goes on; whatever runs where it is empty.
  [[nodiscard]] Awaitable<OfferedKeys> offer(std::string typed, std::string nonce) const;

 private:
  [[nodiscard]] Awaitable<void> paste_unless(std::string text, bool bracketed, bool enter,
                                             std::string unless) const;

  TmuxClient tmux_;
  std::shared_ptr<const Tab> tab_;
  bool to_program_;
};

/// What tmux answers about the tab. Throws Error(tab_closed) where it has none, or is gone.
[[nodiscard]] Awaitable<std::string> answer_about(std::shared_ptr<const Tab> tab,
                                                  Awaitable<std::string> asked);

}  // namespace terminally
