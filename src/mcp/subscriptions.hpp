#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "base/background.hpp"
#include "base/event.hpp"
#include "mcp/methods.hpp"

namespace terminally {

class Outlet;

/// What one session has subscribed to. Legacy: by resources/subscribe, one by one, and to the list of
/// resources by being there. Modern: by subscriptions/listen, a request that lasts as long as the
/// subscription.
class Subscriptions {
 public:
  static constexpr std::size_t kMax = 1'000;

  Subscriptions(boost::asio::any_io_executor executor, std::shared_ptr<Outlet> outlet)
      : executor_(std::move(executor)), outlet_(std::move(outlet)) {}

  /// A legacy client is there: it is told when resources come and go.
  void announce_list_changes(Server& server);

  [[nodiscard]] boost::asio::awaitable<void> subscribe(Server& server, std::string text, Revision revision);
  void unsubscribe(const std::string& uri) { watches_.erase(uri); }

  /// Ends all of them. What listens gets its result.
  void close();

  [[nodiscard]] const boost::asio::any_io_executor& executor() const { return executor_; }
  [[nodiscard]] const std::shared_ptr<Outlet>& outlet() const { return outlet_; }
  [[nodiscard]] boost::asio::awaitable<void> wait_for_close() { return closed_.wait(); }

 private:
  boost::asio::any_io_executor executor_;
  std::shared_ptr<Outlet> outlet_;
  std::map<std::string, Background> watches_;  ///< by the URI as the client wrote it
  std::optional<Background> list_watch_;
  Event closed_;
};

[[nodiscard]] boost::asio::awaitable<nlohmann::ordered_json> subscribe(Server& server, Call call);
[[nodiscard]] boost::asio::awaitable<nlohmann::ordered_json> unsubscribe(Server& server, Call call);
[[nodiscard]] boost::asio::awaitable<nlohmann::ordered_json> listen(Server& server, Call call);

}  // namespace terminally
