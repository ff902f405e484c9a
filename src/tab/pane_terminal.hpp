#pragma once

#include <boost/asio/awaitable.hpp>
#include <string>

#include "base/error.hpp"
#include "base/timeout.hpp"

namespace terminally {

/// Facts of a pane at the moment when something is typed into it, or the pane is asked. Flags.
enum class PaneFact : unsigned {
  none = 0,
  full_screen = 1,           ///< it shows the alternate screen
  person_types = 2,          ///< a person who sees the pane pressed a key within the last second or two
  others_typed = 4,          ///< somebody else may have typed into the pane since our last line
  others_typed_just_now = 8  ///< touched, where our last line was typed a moment ago
};
[[nodiscard]] constexpr PaneFact operator|(PaneFact one, PaneFact other) {
  return static_cast<PaneFact>(static_cast<unsigned>(one) | static_cast<unsigned>(other));
}
[[nodiscard]] constexpr bool has(PaneFact all, PaneFact one) {
  return (static_cast<unsigned>(all) & static_cast<unsigned>(one)) != 0;
}

/// What we type, for PaneFact::others_typed: a line, or the C-c before one, resets it; a key changes nothing.
enum class TypedAs { key, line };

/// Whether an Error of `type` means that nothing was typed: the pane is gone, or tmux could not be asked at
/// all (no process can be started).
[[nodiscard]] inline bool nothing_was_typed(const Error& failure) {
  return failure.code() == ErrorCode::not_found || failure.code() == ErrorCode::io;
}

/// A pane's terminal, as a command uses it. Input goes to this pane and no other, even when its server is
/// gone and another has a pane of the same number.
class PaneTerminal {
 public:
  PaneTerminal() = default;
  PaneTerminal(const PaneTerminal&) = delete;
  PaneTerminal& operator=(const PaneTerminal&) = delete;
  virtual ~PaneTerminal() = default;

  /// Types these bytes (a NUL only alone), exactly and in one piece. False: a fact of `unless` was true at
  /// that moment, and nothing was typed. Throws Error; unless nothing_was_typed, the bytes may be there.
  [[nodiscard]] virtual boost::asio::awaitable<bool> type(std::string bytes, TypedAs kind,
                                                          PaneFact unless = PaneFact::none) = 0;
  /// As `type`, but within `time` or not at all.
  [[nodiscard]] virtual boost::asio::awaitable<bool> type_within(Milliseconds time, std::string bytes) = 0;

  /// Whether one of `facts` is true, and none of `but_not`.
  [[nodiscard]] virtual boost::asio::awaitable<bool> is(PaneFact facts,
                                                        PaneFact but_not = PaneFact::none) = 0;

  /// Whether tmux answers. True also where nothing is known against it.
  [[nodiscard]] virtual boost::asio::awaitable<bool> answers_within(Milliseconds time) = 0;
};

}  // namespace terminally
