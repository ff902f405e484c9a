#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <cstddef>
#include <memory>

#include "mcp/resource_uri.hpp"
#include "mcp/resource_watch.hpp"

namespace terminally {

/// Who is told of which resource. Each thing is watched once, however many want to know of it.
class ResourceFeeds {
 public:
  static constexpr std::size_t kMost = 1'000;  ///< subscriptions at once, all together

  ResourceFeeds(boost::asio::any_io_executor executor, TmuxManager* manager,
                std::shared_ptr<FarHosts> hosts = nullptr);

  /// Told as long as this lives. It may outlive the feeds.
  class Subscription {
   public:
    class Place;
    explicit Subscription(std::shared_ptr<Place> place) : place_(std::move(place)) {}

   private:
    std::shared_ptr<Place> place_;
  };

  /// Throws `ProtocolError` where so many more would be too many.
  void need_room(std::size_t more) const;

  /// `tabs` as they are now; needed for the resource of the tabs alone. Throws as `need_room`.
  [[nodiscard]] Subscription of_resource(const ResourceUri& uri, TabList tabs, Tell tell);
  /// Of tabs that come and go.
  [[nodiscard]] Subscription of_list(TabList tabs, Tell tell);
  /// A place without a feed: it only counts.
  [[nodiscard]] Subscription of_nothing();

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace terminally
