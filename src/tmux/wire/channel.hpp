#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/awaitable.hpp"
#include "base/timeout.hpp"

namespace terminally {

/// What a tmux server made of a list of commands.
struct TmuxAnswer {
  std::string out;    ///< what they printed
  std::string error;  ///< tmux's words for what went wrong, without a newline behind them; empty: nothing
  bool timed_out = false;  ///< nothing came by the deadline: they may have been done, or may be done yet
  bool lost = false;       ///< the way there broke meanwhile: they may have been done; `error` says so
};

/// The way to the tmux server that listens on one socket, whichever that is: commands there, answers back.
/// Several calls may be under way; each is answered by itself. What TmuxClient asks goes by this alone.
class TmuxChannel {
 public:
  TmuxChannel() = default;
  TmuxChannel(const TmuxChannel&) = delete;
  TmuxChannel& operator=(const TmuxChannel&) = delete;
  virtual ~TmuxChannel() = default;

  /// Has the server run these commands, in tmux's language, a list a line, and no others within a list. A
  /// list that fails is not run on. Returns by the deadline, or a moment later. Throws Error(io) where
  /// nothing could be sent.
  [[nodiscard]] virtual Awaitable<TmuxAnswer> run(std::string commands, Milliseconds deadline) = 0;

  /// The same, and starts a server in this environment where none listens.
  [[nodiscard]] virtual Awaitable<TmuxAnswer> start(std::string commands,
                                                    std::vector<std::string> environment,
                                                    Milliseconds deadline) = 0;

  /// Differs from what it was before whenever the server has told of a change of its windows or sessions
  /// since. It tells of one before it answers whoever made it, and so before it answers what is asked later.
  /// nullopt: nobody listens.
  [[nodiscard]] virtual std::optional<std::uint64_t> news() const = 0;
  /// Is called whenever that comes to differ, from the event loop. Empty: nobody is.
  virtual void on_news(std::function<void()> told) = 0;

  /// Once the calls that are under way are answered, nothing of ours is connected until the next one.
  virtual void let_go() = 0;
};

}  // namespace terminally
