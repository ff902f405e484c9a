#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <exception>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "mcp/in_flight.hpp"
#include "mcp/json_rpc.hpp"
#include "mcp/methods.hpp"

namespace terminally {

/// One connection with a client, whatever carries it: lines in, messages out.
///
/// Requests are served side by side, each by its own coroutine. Each has exactly one reply, because replies
/// are sent in one place, the completion handler of that coroutine; a request that the client cancelled has
/// none, and nothing of a request follows its reply. The protocol revision is decided for each message on its
/// own. No message is longer than kMostMessageBytes.
///
/// Single-threaded: every call on `executor`. Held by shared_ptr; calls still under way keep it alive after
/// `close`.
class Session : public std::enable_shared_from_this<Session> {
 public:
  /// What the texts of unfinished requests may take; above it the transport takes no more of them.
  static constexpr std::size_t kMostHeldBytes = std::size_t{64} << 20U;

  Session(boost::asio::any_io_executor executor, std::shared_ptr<const Router> router, Implementation info,
          Send send);

  /// One line from the client. Does not wait and does not throw.
  void receive(std::string_view line);

  /// Answers a line that was dropped because it was too long to be read, by what its Envelope has.
  void refuse_long_line(std::string_view envelope);

  /// Returns when there is room for another request.
  [[nodiscard]] boost::asio::awaitable<void> wait_for_room();
  [[nodiscard]] bool has_room() const { return in_flight_.bytes() <= kMostHeldBytes; }

  /// Returns when all that ends by itself is answered: a subscription does not.
  [[nodiscard]] boost::asio::awaitable<void> wait_for_answers();

  /// What is not answered by now gets this as an error: there is no time left for it. It goes on.
  void refuse_unanswered(const std::string& why);

  /// Subscriptions get their results, and end. Returns when they have.
  [[nodiscard]] boost::asio::awaitable<void> end_subscriptions();

  /// The connection is over: nothing is sent from here on. `stop_calls` also cancels what is under way.
  void close(bool stop_calls);

  [[nodiscard]] std::size_t in_flight() const { return in_flight_.size(); }

 private:
  /// Takes the answer to one request, empty for none. Called exactly once.
  using Reply = std::function<void(std::string message)>;

  void receive_batch(const RpcInput& input, std::size_t bytes);
  void refuse_batch(const RpcInput& input, const ProtocolError& error);
  void handle(const RpcMessage& message, std::size_t bytes, const Reply& reply);
  void start(const RpcMessage& request, std::size_t bytes, const Reply& reply);
  boost::asio::awaitable<nlohmann::ordered_json> answer(RpcMessage request);
  std::shared_ptr<ProgressSink> progress_of(const RpcMessage& request, Revision revision);
  void notice(const RpcMessage& notification);
  void send(std::string message);

  [[nodiscard]] std::string result_text(const std::string& id, const nlohmann::ordered_json& result) const;
  [[nodiscard]] std::string error_text(const std::string& id, const ProtocolError& error) const;
  [[nodiscard]] std::string failure_text(const std::string& id, const std::exception_ptr& failure) const;

  boost::asio::any_io_executor executor_;
  Server server_;
  Send send_;
  InFlight in_flight_;
  boost::asio::steady_timer answered_;  ///< never expires: cancelled at each end of a request
};

}  // namespace terminally
