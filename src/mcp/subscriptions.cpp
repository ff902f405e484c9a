#include "mcp/subscriptions.hpp"

#include <nlohmann/json.hpp>
#include <vector>

#include "mcp/outlet.hpp"
#include "mcp/params.hpp"
#include "mcp/resource_watch.hpp"
#include "mcp/resources.hpp"
#include "tmux/manager.hpp"
#include "tools/router.hpp"

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

void Subscriptions::announce_list_changes(Server& server) {
  TmuxManager* manager = server.router->context().manager;
  if (manager != nullptr && !list_watch_ && !closed_.is_set()) {
    list_watch_.emplace(watch_tabs(executor_, *manager, TabNews::come_and_gone, {}, [outlet = outlet_] {
      return outlet->notify(kListChanged, ordered_json::object());
    }));
  }
}

awaitable<void> Subscriptions::subscribe(Server& server, std::string text, Revision revision) {
  const auto uri = parse_resource_uri(text);
  if (!uri && looks_like_uri(text) && !text.starts_with("terminally:")) {
    co_return;  // of another server: allowed, and nothing will ever come
  }
  if (!uri) {
    throw resource_not_found(text, revision);
  }
  const bool there = co_await resource_exists(server, *uri);
  if (!there) {
    throw resource_not_found(text, revision);
  }
  TmuxManager* manager = server.router->context().manager;
  if (manager == nullptr || watches_.contains(text)) {
    co_return;
  }
  if (watches_.size() >= kMax) {
    throw ProtocolError(kInternalError, "Too many subscriptions: there are " + std::to_string(kMax));
  }
  Tell tell = [outlet = outlet_, text] { return outlet->notify(kUpdated, with_uri(text)); };
  Background watch = co_await watch_resource(executor_, *manager, *uri, std::move(tell));
  watches_.insert_or_assign(std::move(text), std::move(watch));
}

void Subscriptions::close() {
  outlet_->close();
  watches_.clear();
  list_watch_.reset();
  closed_.set();
}

awaitable<ordered_json> subscribe(Server& server, Call call) {
  co_await server.subscriptions->subscribe(server, need_string(*call.params, "uri"), call.revision);
  co_return ordered_json::object();
}

awaitable<ordered_json> unsubscribe(Server& server, Call call) {
  server.subscriptions->unsubscribe(need_string(*call.params, "uri"));
  co_return ordered_json::object();
}

}  // namespace terminally
