#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/timeout.hpp"
#include "tmux/wire/channel.hpp"
#include "tmux/wire/spawned_client.hpp"

namespace terminally {

/// A channel over one client in control mode that is kept: it answers within a tenth of a millisecond, where
/// a process per call takes two. It comes with the first call that knows a session to attach to, with a new
/// session (`attach`), and again with a call 200 ms after it was found lost (killed, detached by a person,
/// its session closed). Calls go by spawned clients where it cannot be had.
///
/// tmux reads what is sent from the pipe itself: a client that is stopped holds no call up, unless tmux is to
/// end meanwhile; then it is killed at the first time-out. It sees no output and has no size, and is nobody's
/// visit (others_typed.hpp); tmux ends it with its session, so that it keeps nothing alive. It is ended by
/// SIGKILL alone, also with us: a client whose input has ended is kept by tmux 3.3a, and keeps its server, as
/// long as there is something to be written to it.
class ControlChannel : public TmuxChannel {
 public:
  /// `session`: tmux's id of the session to attach to; empty while none is known.
  ControlChannel(boost::asio::any_io_executor executor, std::shared_ptr<SpawnedClient> spawned,
                 std::shared_ptr<const std::string> session);
  ~ControlChannel() override;

  /// Lists that are sent one behind the other are run in their order. What was given up before it could be
  /// sent is not sent.
  [[nodiscard]] Awaitable<TmuxAnswer> run(std::string commands, Milliseconds deadline) override;
  [[nodiscard]] Awaitable<TmuxAnswer> start(std::string commands, std::vector<std::string> environment,
                                            Milliseconds deadline) override;
  [[nodiscard]] Awaitable<void> attach(Milliseconds deadline) override;
  [[nodiscard]] std::optional<std::uint64_t> news() const override;
  void on_news(std::function<void()> told) override { news_->told = std::move(told); }
  void let_go() override;

 private:
  class Connection;
  struct News {  ///< of all connections
    std::uint64_t count = 0;
    std::function<void()> told;
  };
  [[nodiscard]] bool may_attach() const;
  [[nodiscard]] Awaitable<std::shared_ptr<Connection>> connection(Clock::time_point by);

  boost::asio::any_io_executor executor_;
  std::shared_ptr<SpawnedClient> spawned_;
  std::shared_ptr<const std::string> session_;
  std::string refused_session_;  ///< which tmux did not know when we wanted to attach to it
  Clock::time_point refused_until_;
  Clock::time_point news_until_;  ///< of how a client was lost, which none is to come amidst
  std::shared_ptr<News> news_ = std::make_shared<News>();
  std::shared_ptr<Connection> connection_;
  std::weak_ptr<Connection> outlived_;  ///< was there when the newest session was opened
  std::weak_ptr<Connection> leaving_;   ///< was let go, and may still be there
  std::shared_ptr<int> spawned_calls_ = std::make_shared<int>(0);  ///< that are under way
};

}  // namespace terminally
