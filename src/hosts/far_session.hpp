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

/// The link to a far side was lost while a request waited: whether the request was carried out is unknown.
class LinkLost : public Error {
 public:
  explicit LinkLost(const std::string& why) : Error(ErrorCode::io, why) {}
};

/// The far side answered a request with an error; `what` is that error's message.
class FarRefusal : public Error {
 public:
  explicit FarRefusal(const std::string& what) : Error(ErrorCode::io, what) {}
};

/// The link is up, and the answer has not come in time.
class NotAnswered : public Error {
 public:
  NotAnswered() : Error(ErrorCode::io, "the host is connected but has not answered in time") {}
};

/// One connection to a far side, from its hello on: a client of the protocol over the pipe. The far side is
/// not trusted: a line that is no JSON, or too long, ends the connection; answers that no request waits for
/// are dropped; all buffers are bounded. Single-threaded, held by shared_ptr; ends by `close` or by itself.
class FarSession : public std::enable_shared_from_this<FarSession> {
 public:
  /// Starts the pipe and returns once the far side has answered `initialize`. Nothing is sent before its
  /// hello was seen. Throws Error that explains what went wrong.
  [[nodiscard]] static boost::asio::awaitable<std::shared_ptr<FarSession>> open(HostEntry host, Argv argv,
                                                                                std::string nonce,
                                                                                Milliseconds within);

  FarSession(const boost::asio::any_io_executor& executor, HostEntry host, const Argv& argv);

  struct Request {
    std::string method;
    std::shared_ptr<nlohmann::ordered_json> params;
    ReportProgress progress = nullptr;
    Clock::time_point by;
    bool ends_if_late = true;  ///< cancel it on the far side where no answer has come by `by`
  };
  /// Returns the result. Throws LinkLost, FarRefusal, NotAnswered, or Error(busy) where too many calls or
  /// bytes wait already. Cancelling the coroutine cancels the request on the far side.
  [[nodiscard]] boost::asio::awaitable<nlohmann::ordered_json> request(Request request);

  /// Returns once the far side has answered; throws as `request`, but never Error(busy).
  [[nodiscard]] boost::asio::awaitable<void> ping(Clock::time_point by);

  /// Both end the session. A goodbye tells the far side that nobody comes back; it has until `by` to end.
  void close(const std::string& why);
  [[nodiscard]] boost::asio::awaitable<void> say_goodbye(Clock::time_point by);

  [[nodiscard]] bool is_up() const { return up_ && !lost_; }
  [[nodiscard]] const std::string& why_lost() const { return why_; }
  /// Whether the session was closed because of silence, and not because the pipe ended.
  [[nodiscard]] bool was_silent() const { return silent_; }
  [[nodiscard]] const std::string& version() const { return version_; }
  /// Where the far side keeps its records, see place_in.
  [[nodiscard]] const std::string& place() const { return place_; }
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
  std::string place_;
  std::string why_;
  bool up_ = false;
  bool lost_ = false;
  bool silent_ = false;
  Milliseconds round_trip_{0};
};

}  // namespace terminally
