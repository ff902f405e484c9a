#pragma once

#include <boost/asio/awaitable.hpp>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/event.hpp"
#include "mcp/resource_feeds.hpp"
#include "mcp/revisions.hpp"
#include "toolkit/tool.hpp"

namespace terminally {

class Outlet;

/// The subscriptions of one peer. A legacy peer subscribes to resources one by one, and always to the list of
/// resources. A modern peer subscribes by subscriptions/listen, a request that lasts as long as the
/// subscription.
class Subscriptions {
 public:
  Subscriptions(const Services& services, std::shared_ptr<ResourceFeeds> feeds,
                std::shared_ptr<Outlet> outlet)
      : manager_(services.manager),
        hosts_(services.hosts),
        feeds_(std::move(feeds)),
        outlet_(std::move(outlet)) {}

  /// Subscribes to the list of resources, for a legacy client; where there is no room, it is not told.
  void announce_list_changes();

  [[nodiscard]] boost::asio::awaitable<void> subscribe(std::string text, Revision revision);
  void unsubscribe(const std::string& uri) { subscribed_.erase(uri); }

  /// Gives each subscriptions/listen its result.
  void end() { ended_.set(); }
  /// Ends all subscriptions: nothing is told any more.
  void close();

  [[nodiscard]] boost::asio::awaitable<void> wait_for_end() { return ended_.wait(); }

 private:
  TmuxManager* manager_;
  std::shared_ptr<FarHosts> hosts_;
  std::shared_ptr<ResourceFeeds> feeds_;
  std::shared_ptr<Outlet> outlet_;
  std::map<std::string, ResourceFeeds::Subscription> subscribed_;  ///< by the URI as the client wrote it
  std::optional<ResourceFeeds::Subscription> list_;
  Event ended_;
};

}  // namespace terminally
