#pragma once

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/timeout.hpp"
#include "tab/pane_terminal.hpp"
#include "tmux/wire/channel.hpp"
#include "tmux/wire/quoting.hpp"

namespace terminally {

/// Talks to one tmux server over a channel, each call with a deadline.
///
/// Whatever changes something is guarded: the server itself compares its clock with the deadline before it
/// runs the commands, because a call that was given up at its deadline may already have delivered them to a
/// frozen server, which would run them when it thaws.
class TmuxClient {
 public:
  TmuxClient(std::shared_ptr<TmuxChannel> channel, std::chrono::milliseconds deadline);

  /// See TmuxChannel.
  [[nodiscard]] std::optional<std::uint64_t> news() const { return channel_->news(); }
  void on_news(std::function<void()> told) const { channel_->on_news(std::move(told)); }
  /// Whether there was none since it was this, and what is not told of is as it was (kUntold, rows.hpp). Asks
  /// the server, which then has told of all that was before.
  [[nodiscard]] boost::asio::awaitable<bool> has_no_news_since(std::uint64_t then, std::string session,
                                                               std::string untold) const;

  /// Until the next call: see TmuxChannel.
  void let_go() const { channel_->let_go(); }

  /// Runs commands in tmux's command language (quote user text with `quote`) that change nothing, and returns
  /// what they printed.
  /// Throws Error: tmux_timeout; not_found when the target (a window or pane) is not there; tmux_failed
  /// otherwise.
  [[nodiscard]] boost::asio::awaitable<std::string> query(std::string commands) const;

  /// Whether the server answers by the deadline. Throws Error(io) when it cannot be asked.
  [[nodiscard]] boost::asio::awaitable<bool> answers() const;

  /// Runs commands that change something, unless the deadline has passed by the time the server gets to them.
  /// A server that is stopped while it is at them has begun them all the same, and may do them when it goes
  /// on: what is thrown then says so.
  [[nodiscard]] boost::asio::awaitable<std::string> change(std::string commands) const;

  /// Throws Error(tmux_timeout) when a call by this client has timed out since.
  void refuse_if_timed_out_since(Clock::time_point when) const;

  /// For how long the server has left a question of ours unanswered since then, or still does: the longest.
  [[nodiscard]] std::chrono::milliseconds silence_since(Clock::time_point when) const;

  /// As this one, for this tmux server only: what was meant for a pane of a server that is gone must not
  /// reach the pane of the same number in the next. Its calls throw not_found where another server listens by
  /// now.
  [[nodiscard]] TmuxClient of_server(int pid) const;

  /// As this one, with another deadline.
  [[nodiscard]] TmuxClient with_deadline(std::chrono::milliseconds deadline) const;

  /// Starts the server, in this environment, with its first commands. Not guarded: there is no server yet
  /// that could be frozen.
  [[nodiscard]] boost::asio::awaitable<std::string> start(std::string commands,
                                                          std::vector<std::string> environment) const;

 private:
  [[nodiscard]] boost::asio::awaitable<TmuxAnswer> run(std::string commands,
                                                       std::chrono::milliseconds deadline) const;
  [[nodiscard]] std::string output_of(TmuxAnswer answer, const char* when_timed_out) const;
  [[nodiscard]] std::string guarded_condition() const;

  std::shared_ptr<TmuxChannel> channel_;
  std::chrono::milliseconds deadline_;
  int server_pid_ = 0;  ///< 0: whichever listens
  std::shared_ptr<Clock::time_point> timed_out_at_ = std::make_shared<Clock::time_point>();
  std::shared_ptr<std::multiset<Clock::time_point>> open_questions_ =  ///< when they were asked
      std::make_shared<std::multiset<Clock::time_point>>();
};

/// Commands that type these bytes (a NUL only alone) into a pane, exactly; unless this tmux condition, looked
/// at in the pane in the same moment, is true: then they fail, see were_not_typed. By a buffer of tmux's, as
/// send-keys takes one argument a byte and a time that grows with their square (3,000: 80 ms). What we type
/// is nobody's visit (others_typed.hpp).
[[nodiscard]] std::string type_bytes(std::string_view target, std::string_view bytes,
                                     std::string_view unless = {}, TypedAs kind = TypedAs::key);

/// A command before a paste-buffer, which then fails where this tmux condition of the pane is true.
[[nodiscard]] std::string drop_buffer_if(std::string_view target, std::string_view condition,
                                         std::string_view buffer);

/// Whether this is what type_bytes, or a paste-buffer behind drop_buffer_if, failed with because of its
/// condition.
[[nodiscard]] bool were_not_typed(const Error& error);

}  // namespace terminally
