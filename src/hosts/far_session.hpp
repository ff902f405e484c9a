#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/process.hpp"
#include "base/timeout.hpp"
#include "base/worker.hpp"
#include "hosts/far_pipe.hpp"
#include "hosts/far_requests.hpp"
#include "hosts/hosts_file.hpp"
#include "stdio/line_framer.hpp"
#include "toolkit/tool.hpp"

namespace terminally {

/// The link to a far side went while something was asked there: whether it was done is not known.
class LinkLost : public Error {
 public:
  explicit LinkLost(const std::string& why) : Error(ErrorCode::io, why) {}
};

/// What the far side said of a request that it would not do.
class FarRefusal : public Error {
 public:
  explicit FarRefusal(const std::string& what) : Error(ErrorCode::io, what) {}
};

/// The link is there, and the answer has not come in time.
class NotAnswered : public Error {
 public:
  NotAnswered() : Error(ErrorCode::io, "it is connected, and has not answered in time") {}
};

/// One connection to a far side, from its hello on: a client of the protocol over the pipe. What it sends is
/// not trusted: a line that is no JSON, or too long, ends the connection; answers to nobody are dropped; what
/// is held of it is bounded. Single-threaded, held by shared_ptr; it ends by `close` or by itself.
class FarSession : public std::enable_shared_from_this<FarSession> {
 public:
  /// Starts the pipe and returns when the far side has answered. Nothing is sent before its hello was seen.
  /// Throws Error that explains what went wrong.
  [[nodiscard]] static boost::asio::awaitable<std::shared_ptr<FarSession>> open(HostEntry host, Argv argv,
                                                                                std::string nonce,
                                                                                Milliseconds within);

  FarSession(const boost::asio::any_io_executor& executor, HostEntry host, const Argv& argv);

  struct Request {
    std::string method;
    std::shared_ptr<nlohmann::ordered_json> params;
    ReportProgress progress = nullptr;
    Clock::time_point by;
    bool ends_if_late = true;  ///< else the far side goes on with it where it has no answer by then
  };
  /// Its result. Throws LinkLost, FarRefusal, or Error where it took too long. Cancelled, it tells the far
  /// side.
  [[nodiscard]] boost::asio::awaitable<nlohmann::ordered_json> request(Request request);

  /// Returns once it has answered; throws as `request`. There is room for it, however many calls wait.
  [[nodiscard]] boost::asio::awaitable<void> ping(Clock::time_point by);

  /// Ends it; with a goodbye the far side is told that nobody comes back, and has until `by` to end.
  void close(const std::string& why);
  [[nodiscard]] boost::asio::awaitable<void> say_goodbye(Clock::time_point by);

  [[nodiscard]] bool is_up() const { return up_ && !lost_; }
  [[nodiscard]] const std::string& why_lost() const { return why_; }
  /// Whether it was given up because nothing was heard, and not because it ended.
  [[nodiscard]] bool was_silent() const { return silent_; }
  [[nodiscard]] const std::string& version() const { return version_; }
  [[nodiscard]] Milliseconds round_trip() const { return round_trip_; }

 private:
  boost::asio::awaitable<nlohmann::ordered_json> ask(Request request);
  boost::asio::awaitable<void> shake_hands(Clock::time_point by);
  boost::asio::awaitable<void> read_loop();
  boost::asio::awaitable<void> ping_loop();
  void spawn(boost::asio::awaitable<void> work);
  boost::asio::awaitable<void> take(LineFramer::Line line);
  boost::asio::awaitable<FarMessage> read(std::string_view line);
  void send(const std::string& message);
  void forget(std::uint64_t id);

  FarPipe pipe_;
  Worker reader_;
  FarRequests requests_;
  std::uint64_t last_id_ = 0;
  std::string version_;
  std::string why_;
  bool up_ = false;
  bool lost_ = false;
  bool silent_ = false;
  Milliseconds round_trip_{0};
};

}  // namespace terminally
