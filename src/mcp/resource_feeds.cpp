// Shares one watch of each resource among all its subscriptions.
#include "mcp/resource_feeds.hpp"

#include <algorithm>
#include <list>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "json/json_rpc.hpp"

namespace terminally {
namespace {

constexpr const char* kListFeed = "list";

/// The listeners of one resource, or of the list of tabs, and the watch that tells them.
struct Feed {
  struct Listener {
    Tell tell;
    bool owed = false;  ///< a change could not be told yet
  };

  /// Tells all listeners. False while one of them could not be told.
  bool tell_all(bool changed) {
    bool told = true;
    for (Listener& listener : listeners) {
      listener.owed = (changed || listener.owed) && !listener.tell();
      told = told && !listener.owed;
    }
    retries = !told;
    return told;
  }

  std::list<Listener> listeners;
  bool retries = false;
  std::optional<Background> watch;
};

}  // namespace

struct ResourceFeeds::State {
  boost::asio::any_io_executor executor;
  TmuxManager* manager = nullptr;
  std::shared_ptr<FarHosts> hosts;
  std::map<std::string, std::shared_ptr<Feed>> feeds;
  std::size_t places = 0;
};

/// Counts as one subscription. The destructor removes its listener, and with the last one the feed's watch.
class ResourceFeeds::Subscription::Place {
 public:
  explicit Place(const std::shared_ptr<State>& state) : state_(state) { ++state->places; }

  Place(const std::shared_ptr<State>& state, std::string name, Tell tell) : Place(state) {
    name_ = std::move(name);
    feed_ = state->feeds[name_];
    at_ = feed_->listeners.insert(feed_->listeners.end(), Feed::Listener{std::move(tell)});
  }

  ~Place() {
    if (feed_) {
      feed_->listeners.erase(at_);
    }
    const auto state = state_.lock();
    if (!state) {
      return;
    }
    --state->places;
    if (feed_ && feed_->listeners.empty()) {
      state->feeds.erase(name_);
    }
  }

  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

 private:
  std::weak_ptr<State> state_;
  std::string name_;
  std::shared_ptr<Feed> feed_;
  std::list<Feed::Listener>::iterator at_;
};

namespace {

/// Makes the feed of this name, and starts its watch where none runs. `watch` gets a Tell for all listeners.
template <class Watch>
void need_feed(std::map<std::string, std::shared_ptr<Feed>>& feeds, const std::string& name, Watch watch) {
  std::shared_ptr<Feed>& feed = feeds[name];
  if (!feed) {
    feed = std::make_shared<Feed>();
  }
  if (feed->watch && !feed->watch->over()) {
    return;
  }
  feed->watch.emplace(watch([weak = std::weak_ptr(feed)] {
    const auto open = weak.lock();
    return !open || open->tell_all(!open->retries);
  }));
}

}  // namespace

ResourceFeeds::ResourceFeeds(boost::asio::any_io_executor executor, TmuxManager* manager,
                             std::shared_ptr<FarHosts> hosts)
    : state_(std::make_shared<State>()) {
  state_->executor = std::move(executor);
  state_->manager = manager;
  state_->hosts = std::move(hosts);
}

bool ResourceFeeds::has_room() const {
  return state_->places < kMost;
}

void ResourceFeeds::need_room(std::size_t more) const {
  if (state_->places + more > kMost) {
    throw ProtocolError(kInternalError, "Too many subscriptions: there are " +
                                            std::to_string(state_->places) + ", and at most " +
                                            std::to_string(kMost) + " are allowed at once");
  }
}

ResourceFeeds::Subscription ResourceFeeds::of_resource(const ResourceUri& uri, TabList tabs, Tell tell) {
  need_room(1);
  if (state_->manager == nullptr) {
    return of_nothing();
  }
  const bool of_tabs = uri.kind == ResourceUri::Kind::tabs;
  const std::string name = of_tabs ? "tabs" : tab_of(uri);  // a tab's log and screen share a feed
  if (!uri.host.empty()) {
    need_feed(state_->feeds, name, [&](Tell tell_all) {
      return watch_output_there(state_->executor, state_->hosts, uri, std::move(tell_all));
    });
    return Subscription(std::make_shared<Subscription::Place>(state_, name, std::move(tell)));
  }
  need_feed(state_->feeds, name, [&](Tell tell_all) {
    return of_tabs ? watch_tabs(state_->executor, *state_->manager, TabNews::any, std::move(tabs),
                                std::move(tell_all))
                   : watch_output(state_->executor, *state_->manager, uri.window, std::move(tell_all));
  });
  return Subscription(std::make_shared<Subscription::Place>(state_, name, std::move(tell)));
}

ResourceFeeds::Subscription ResourceFeeds::of_list(TabList tabs, Tell tell) {
  need_room(1);
  if (state_->manager == nullptr) {
    return of_nothing();
  }
  need_feed(state_->feeds, kListFeed, [&](Tell tell_all) {
    return watch_tabs(state_->executor, *state_->manager, TabNews::come_and_gone, std::move(tabs),
                      std::move(tell_all));
  });
  return Subscription(std::make_shared<Subscription::Place>(state_, kListFeed, std::move(tell)));
}

ResourceFeeds::Subscription ResourceFeeds::of_nothing() {
  return Subscription(std::make_shared<Subscription::Place>(state_));
}

}  // namespace terminally
