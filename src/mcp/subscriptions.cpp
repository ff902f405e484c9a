// Holds the subscriptions of one peer and sends it their notifications.
#include "mcp/subscriptions.hpp"

#include <nlohmann/json.hpp>
#include <vector>

#include "json/json_rpc.hpp"
#include "mcp/outlet.hpp"
#include "mcp/resource_watch.hpp"
#include "tmux/manager.hpp"

namespace terminally {
namespace {

using boost::asio::awaitable;
using nlohmann::ordered_json;

constexpr const char* kUpdated = "notifications/resources/updated";
constexpr const char* kListChanged = "notifications/resources/list_changed";

ordered_json with_uri(const std::string& uri) {
  ordered_json params;
  params["uri"] = uri;
  return params;
}

}  // namespace

void Subscriptions::announce_list_changes() {
  if (manager_ != nullptr && !list_ && !ended_.is_set() && feeds_->has_room()) {
    list_.emplace(feeds_->of_list({}, [outlet = outlet_] {
      return outlet->notify(notification_message(kListChanged, ordered_json::object()), Delivery::may_drop);
    }));
  }
}

awaitable<void> Subscriptions::subscribe(std::string text, Revision revision) {
  const auto uri = parse_resource_uri(text);
  if (!uri && looks_like_uri(text) && !text.starts_with("terminally:")) {
    co_return;  // a URI of another server is allowed; no update ever comes
  }
  if (!uri) {
    throw resource_not_found(text, revision);
  }
  const bool there = co_await resource_exists(manager_, hosts_, *uri);
  if (!there) {
    throw resource_not_found(text, revision);
  }
  TabList tabs;
  if (manager_ != nullptr && uri->kind == ResourceUri::Kind::tabs) {
    tabs = co_await manager_->tabs().now();
  }
  if (subscribed_.contains(text)) {
    co_return;
  }
  Tell tell = [outlet = outlet_, text] {
    return outlet->notify(notification_message(kUpdated, with_uri(text)), Delivery::may_drop);
  };
  subscribed_.emplace(text, feeds_->of_resource(*uri, std::move(tabs), std::move(tell)));
}

void Subscriptions::close() {
  subscribed_.clear();
  list_.reset();
  ended_.set();
}

}  // namespace terminally
