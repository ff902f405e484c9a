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
#include "tmux/wire/wire_messages.hpp"

namespace terminally {

/// A channel over one client in control mode that is kept (wire_client.hpp): it answers within a tenth of a
/// millisecond, where a process per call takes two. It comes with the first call to a server that has tabs of
/// ours, and again with the call after it was found lost (detached by a person, its session closed). Calls go
/// by spawned clients where it cannot be had: before, and where tmux speaks another protocol than we do.
///
/// It sees no output and has no size, and is nobody's visit (others_typed.hpp).
class ControlChannel : public TmuxChannel {
 public:
  /// `session`: of the tabs; empty while none is known. `rests`: how long a server that refused us is left
  /// alone.
  ControlChannel(boost::asio::any_io_executor executor, std::shared_ptr<SpawnedClient> spawned,
                 std::shared_ptr<const std::string> session, Milliseconds rests = Milliseconds(5'000));
  ~ControlChannel() override;

  /// Lists that are sent one behind the other are run in their order. What was given up before it could be
  /// sent is not sent. Throws Error(io), too, where another user's process listens.
  [[nodiscard]] Awaitable<TmuxAnswer> run(std::string commands, Milliseconds deadline) override;
  [[nodiscard]] Awaitable<TmuxAnswer> start(std::string commands, std::vector<std::string> environment,
                                            Milliseconds deadline) override;
  [[nodiscard]] std::optional<std::uint64_t> news() const override;
  void on_news(std::function<void()> told) override { news_->told = std::move(told); }
  void let_go() override;

 private:
  class Connection;
  struct News {  ///< of all connections
    std::uint64_t count = 0;
    std::function<void()> told;
  };
  [[nodiscard]] std::shared_ptr<Connection> connection();
  void learn_from_refusal(const Connection& refused);

  boost::asio::any_io_executor executor_;
  std::shared_ptr<SpawnedClient> spawned_;
  std::shared_ptr<const std::string> session_;
  int marked_server_ = 0;  ///< the pid of one that refused messages of WireForm::flagged
  Milliseconds rests_;
  Clock::time_point refused_until_;
  std::shared_ptr<News> news_ = std::make_shared<News>();
  std::shared_ptr<Connection> connection_;
};

}  // namespace terminally
