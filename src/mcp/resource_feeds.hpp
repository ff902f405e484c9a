#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <cstddef>
#include <memory>

#include "mcp/resource_uri.hpp"
#include "mcp/resource_watch.hpp"

namespace terminally {

/// The subscriptions to resources. Each resource is watched once, however many subscriptions it has.
class ResourceFeeds {
 public:
  static constexpr std::size_t kMost = 1'000;  ///< subscriptions of all peers at once

  ResourceFeeds(boost::asio::any_io_executor executor, TmuxManager* manager,
                std::shared_ptr<FarHosts> hosts = nullptr);

  /// Its `tell` is called as long as the subscription lives. A subscription may outlive the feeds.
  class Subscription {
   public:
    class Place;
    explicit Subscription(std::shared_ptr<Place> place) : place_(std::move(place)) {}

   private:
    std::shared_ptr<Place> place_;
  };

  /// For one more.
  [[nodiscard]] bool has_room() const;
  /// Throws `ProtocolError` where `more` subscriptions would exceed kMost.
  void need_room(std::size_t more) const;

  /// `tabs` are the present tabs, needed only for the resource of the tabs. Throws as `need_room`.
  [[nodiscard]] Subscription of_resource(const ResourceUri& uri, TabList tabs, Tell tell);
  /// A subscription to the list of resources, which changes as tabs come and go. Throws as `need_room`.
  [[nodiscard]] Subscription of_list(TabList tabs, Tell tell);
  /// A subscription that nothing tells, but that counts.
  [[nodiscard]] Subscription of_nothing();

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace terminally
