// Answers resources/subscribe, resources/unsubscribe and subscriptions/listen.
#include "mcp/subscription_methods.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "json/json_rpc.hpp"
#include "mcp/outlet.hpp"
#include "mcp/params.hpp"
#include "mcp/peer.hpp"
#include "mcp/resource_feeds.hpp"
#include "mcp/resource_watch.hpp"
#include "mcp/task.hpp"
#include "mcp/tasks.hpp"
#include "tmux/manager.hpp"
#include "toolkit/router.hpp"

namespace terminally {
namespace {

using boost::asio::awaitable;
using nlohmann::json;
using nlohmann::ordered_json;

/// The notifications that the client asked for.
struct Filter {
  std::vector<std::string> resources;
  std::vector<std::string> tasks;
  bool resource_list = false;
};

std::vector<std::string> strings(const json& filter, const char* name) {
  std::vector<std::string> values;
  const auto given = filter.find(name);
  if (given == filter.end() || given->is_null()) {
    return values;
  }
  const auto is_string = [](const json& value) { return value.is_string(); };
  if (!given->is_array() || !std::ranges::all_of(*given, is_string) || given->size() > ResourceFeeds::kMost) {
    throw ProtocolError(kInvalidParams, std::string("Invalid params: notifications.") + name +
                                            " must be an array of at most " +
                                            std::to_string(ResourceFeeds::kMost) + " strings");
  }
  std::set<std::string_view> known;
  for (const json& value : *given) {
    if (known.insert(value.get_ref<const std::string&>()).second) {  // a doubled entry is told once
      values.push_back(value.get<std::string>());
    }
  }
  return values;
}

Filter read_filter(const Exchange& exchange) {
  const auto given = exchange.params()->find("notifications");
  if (given == exchange.params()->end() || !given->is_object()) {
    throw ProtocolError(kInvalidParams, "Invalid params: notifications must be an object");
  }
  Filter filter;
  filter.resources = strings(*given, "resourceSubscriptions");
  filter.tasks = strings(*given, "taskIds");
  const auto list = given->find("resourcesListChanged");
  filter.resource_list = list != given->end() && *list == true;
  if (!filter.tasks.empty()) {
    need_tasks_extension(*exchange.params());
  }
  return filter;
}

/// Serves one subscriptions/listen. Its notifications carry the subscription's id, which is the request's.
class Listener {
 public:
  Listener(Peer& peer, const Exchange& exchange)
      : peer_(peer),
        manager_(peer.core().router->services().manager),
        outlet_(exchange.outlet()),
        id_(ordered_json::parse(exchange.id())) {}

  /// Drops the resources and tasks that do not exist: the acknowledgement names those that are left.
  awaitable<void> keep_what_is_there(Filter& filter) {
    std::vector<std::string> resources;
    std::map<ResourceUri, bool> exists;
    for (const std::string& text : filter.resources) {
      const auto uri = parse_resource_uri(text);
      if (!uri || manager_ == nullptr) {
        continue;
      }
      const auto [known, is_new] = exists.try_emplace(*uri, false);
      if (is_new) {
        known->second = co_await resource_exists(manager_, peer_.core().router->services().hosts, *uri);
      }
      if (known->second) {
        resources.push_back(text);
      }
    }
    filter.resources = std::move(resources);
    std::vector<std::string> tasks;
    for (const std::string& id : filter.tasks) {
      const std::shared_ptr<Task> task = co_await peer_.core().tasks->find(id, peer_.settings());
      if (task) {
        tasks.push_back(id);
      }
    }
    filter.tasks = std::move(tasks);
  }

  void acknowledge(const Filter& filter) {
    ordered_json agreed = ordered_json::object();
    if (!filter.resources.empty()) {
      agreed["resourceSubscriptions"] = filter.resources;
    }
    if (filter.resource_list) {
      agreed["resourcesListChanged"] = true;
    }
    if (!filter.tasks.empty()) {
      agreed["taskIds"] = filter.tasks;
    }
    ordered_json params;
    params["notifications"] = std::move(agreed);
    outlet_->notify(
        notification_message("notifications/subscriptions/acknowledged", marked(std::move(params))),
        Delivery::must);
  }

  /// Takes the state from which changes are told, after the acknowledgement. Throws where there is no room.
  awaitable<void> look(const Filter& filter) {
    const auto is_tabs = [](const std::string& uri) { return parse_resource_uri(uri) == ResourceUri{}; };
    if (manager_ != nullptr && (filter.resource_list || std::ranges::any_of(filter.resources, is_tabs))) {
      tabs_ = co_await manager_->tabs().now();
    }
    peer_.core().feeds->need_room(filter.resources.size() + filter.tasks.size() +
                                  (filter.resource_list ? 1 : 0));
  }

  void watch(const Filter& filter) {
    for (const std::string& text : filter.resources) {
      ordered_json params;
      params["uri"] = text;
      subscriptions_.push_back(peer_.core().feeds->of_resource(
          *parse_resource_uri(text), tabs_, tell("notifications/resources/updated", std::move(params))));
    }
    if (filter.resource_list) {
      subscriptions_.push_back(peer_.core().feeds->of_list(
          tabs_, tell("notifications/resources/list_changed", ordered_json::object())));
    }
    for (const std::string& id : filter.tasks) {
      subscriptions_.push_back(peer_.core().feeds->of_nothing());
      tasks_.emplace_back(peer_.core().executor,
                          tell_of_task(peer_.core().tasks, id, peer_.settings(), outlet_, id_));
    }
  }

  ordered_json result() const { return marked(ordered_json::object()); }

 private:
  [[nodiscard]] ordered_json marked(ordered_json params) const {
    params["_meta"]["io.modelcontextprotocol/subscriptionId"] = id_;
    return params;
  }

  Tell tell(const char* method, ordered_json params) const {
    return [outlet = outlet_, method, marked = marked(std::move(params))] {
      return outlet->notify(notification_message(method, marked), Delivery::may_drop);
    };
  }

  /// Tells of a task once, when it is over; it does not change before.
  static awaitable<void> tell_of_task(std::shared_ptr<Tasks> tasks, std::string id, PeerSettingsPtr peer,
                                      std::shared_ptr<Outlet> outlet, ordered_json subscription) {
    const TaskPtr task = co_await tasks->find(std::move(id), std::move(peer));
    if (!task) {
      co_return;
    }
    co_await task->over.wait();
    ordered_json params = modern_task_told(*task);
    params["_meta"]["io.modelcontextprotocol/subscriptionId"] = subscription;
    outlet->notify(notification_message("notifications/tasks", params), Delivery::must);
  }

  Peer& peer_;
  TmuxManager* manager_;
  std::shared_ptr<Outlet> outlet_;
  ordered_json id_;
  TabList tabs_;
  std::vector<ResourceFeeds::Subscription> subscriptions_;
  std::vector<Background> tasks_;
};

}  // namespace

awaitable<ordered_json> subscribe(Peer& peer, ExchangePtr exchange) {
  co_await peer.subscriptions().subscribe(need_string(*exchange->params(), "uri"), exchange->revision());
  co_return ordered_json::object();
}

awaitable<ordered_json> unsubscribe(Peer& peer, ExchangePtr exchange) {
  peer.subscriptions().unsubscribe(need_string(*exchange->params(), "uri"));
  co_return ordered_json::object();
}

awaitable<ordered_json> listen(Peer& peer, ExchangePtr exchange) {
  Filter filter = read_filter(*exchange);
  Listener listener(peer, *exchange);
  co_await listener.keep_what_is_there(filter);
  co_await listener.look(filter);
  listener.acknowledge(filter);
  listener.watch(filter);
  co_await peer.subscriptions().wait_for_end();
  co_return listener.result();
}

}  // namespace terminally
