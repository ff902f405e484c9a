// Lists and reads tabs, logs and screens as resources, and completes the ids of tabs.
#include "mcp/resources.hpp"

#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "base/error.hpp"
#include "base/utf8.hpp"
#include "mcp/params.hpp"
#include "mcp/peer.hpp"
#include "mcp/prompts.hpp"
#include "mcp/resource_uri.hpp"
#include "mcp/resource_watch.hpp"
#include "secrets/text_guard.hpp"
#include "tmux/manager.hpp"
#include "toolkit/far_hosts.hpp"
#include "toolkit/router.hpp"
#include "toolkit/shared_args.hpp"

namespace terminally {
namespace {

using boost::asio::awaitable;
using nlohmann::json;
using nlohmann::ordered_json;
using UriKind = ResourceUri::Kind;

constexpr std::uint64_t kLogLines = 500;
constexpr std::size_t kMostNameBytes = 1'000;  // a person may give a tab any name
constexpr const char* kText = "text/plain";
constexpr Milliseconds kFarTabsWithin{500};

std::string text_of(const ordered_json& row, const char* name) {
  const auto found = row.find(name);
  return found != row.end() && found->is_string() ? found->get<std::string>() : "";
}

/// The open tabs of this side; none where there is no manager, as in unit tests.
awaitable<std::vector<TabInfo>> open_tabs(const Core& core) {
  TmuxManager* manager = core.router->services().manager;
  std::vector<TabInfo> tabs;
  if (manager != nullptr) {
    tabs = co_await manager->tabs().list();
  }
  co_return tabs;
}

ordered_json entry(std::string_view key, std::string_view uri, std::string_view name,
                   const std::string& title, std::string_view description, const char* mime_type) {
  ordered_json fields;
  fields[std::string(key)] = uri;
  fields["name"] = name;
  fields["title"] = title;
  fields["description"] = description;
  fields["mimeType"] = mime_type;
  return fields;
}

constexpr const char* kTabsDescription = "The open tabs, as list_tabs returns them.";
constexpr const char* kLogDescription =
    "The last 500 lines that the tab printed, prompts and everything typed included.";
constexpr const char* kScreenDescription = "What a person sees in the tab now.";

/// The JSON answer of list_tabs.
awaitable<std::string> tabs_as_listed(const Peer& peer) {
  const Router& router = *peer.core().router;
  auto arguments = std::make_shared<const json>(json::object());
  Caller caller{peer.settings()};
  const Answer tabs =
      co_await router.call(*router.find("list_tabs"), std::move(arguments), std::move(caller));
  co_return tabs.object.dump(2, ' ', false, ordered_json::error_handler_t::replace);
}

/// The tabs of connected hosts, with the host in their ids. The rows are not masked yet.
awaitable<std::vector<ordered_json>> far_rows(const Core& core) {
  std::vector<ordered_json> rows;
  if (const std::shared_ptr<FarHosts> hosts = core.router->services().hosts) {
    const FarTabs far = co_await hosts->tabs(Clock::now() + kFarTabsWithin);
    rows.assign(far.rows.begin(), far.rows.end());
  }
  co_return rows;
}

/// The text of a host's log or screen, by the tool that shows the same.
awaitable<std::string> text_from_there(const Peer& peer, ResourceUri uri) {
  const Router& router = *peer.core().router;
  const bool log = uri.kind == UriKind::log;
  json arguments;
  arguments["window_id"] = tab_of(uri);
  if (log) {
    arguments["lines"] = kLogLines;
  }
  auto shared = std::make_shared<const json>(std::move(arguments));
  const Tool* tool = router.find(log ? "read_logs_from_tab" : "read_screen");
  Caller caller{peer.settings()};
  const Answer shown = co_await router.call(*tool, std::move(shared), std::move(caller));
  const ordered_json text = shown.object.value(log ? "content" : "text", ordered_json());
  co_return text.is_string() ? text.get<std::string>() : "";
}

/// A first line that says how many rows were left out: a resource has no notes.
std::string above_of(const TabScreen& screen) {
  return screen.omitted_rows == 0 ? ""
                                  : "[... " + std::to_string(screen.omitted_rows) +
                                        " rows above left out: use read_screen with skip_rows ...]\n";
}

/// A resource's text as a model reads it: masked, and in the default view.
awaitable<std::string> text_of_resource(const Peer& peer, ResourceUri uri) {
  const Services& services = peer.core().router->services();
  if (uri.kind == UriKind::tabs) {
    co_return co_await tabs_as_listed(peer);
  }
  if (!uri.host.empty()) {
    const bool known = co_await resource_exists(services.manager, services.hosts, uri);
    if (!known) {
      throw Error(ErrorCode::not_found, "host \"" + uri.host + "\" is unknown" +
                                            (services.hosts ? "; list_hosts lists the hosts" : ""));
    }
    co_return co_await text_from_there(peer, std::move(uri));
  }
  if (services.manager == nullptr) {
    throw Error(ErrorCode::not_found, "no tabs");
  }
  auto guard = peer.core().router->new_guard(*peer.settings());
  if (uri.kind == UriKind::log) {
    const TextView view = ViewArgs().view(DefaultView{peer.settings()->view, std::move(guard)});
    const LogLines lines = co_await services.manager->output().read_lines(uri.window, kLogLines, view);
    co_return lines.content;
  }
  ReadScreen request;
  request.window_id = uri.window;
  request.guard = std::move(guard);
  const TabScreen screen = co_await services.manager->output().read_screen(std::move(request));
  co_return above_of(screen) + screen.text;
}

ordered_json completion_of(std::vector<std::string> values) {
  constexpr std::size_t kMost = 100;
  ordered_json result;
  ordered_json& completion = result["completion"];
  completion["total"] = values.size();
  completion["hasMore"] = values.size() > kMost;
  values.resize(std::min(values.size(), kMost));
  completion["values"] = values;
  return result;
}

/// Whether `argument` of the prompt or template is a tab's id. Throws for an unknown reference.
bool takes_window_id(const json& reference, const std::string& argument) {
  const std::string& type = need_string(reference, "type");
  if (type == "ref/prompt") {
    const std::string& prompt = need_string(reference, "name");
    if (!prompt_exists(prompt)) {
      throw ProtocolError(kInvalidParams, "Unknown prompt: " + prompt);
    }
    return argument == "window_id" && prompt_has_argument(prompt, argument);
  }
  if (type != "ref/resource") {
    throw ProtocolError(kInvalidParams,
                        "Invalid params: ref.type must be \"ref/prompt\" or \"ref/resource\"");
  }
  const std::string& uri = need_string(reference, "uri");
  if (uri != kLogTemplate && uri != kScreenTemplate && uri != kTabsUri) {
    throw ProtocolError(kInvalidParams, "Unknown resource template: " + uri);
  }
  return argument == "window_id" && uri != kTabsUri;
}

}  // namespace

awaitable<ordered_json> list_resources(Peer& peer, ExchangePtr exchange) {
  refuse_cursor(*exchange->params());
  const std::vector<TabInfo> tabs = co_await open_tabs(peer.core());
  const std::vector<ordered_json> far = co_await far_rows(peer.core());
  ordered_json entries = ordered_json::array();
  entries.push_back(entry("uri", kTabsUri, "tabs", "Open tabs", kTabsDescription, "application/json"));
  const auto guard = peer.core().router->new_guard(*peer.settings());
  const auto add_tab = [&](const std::string& id, const std::string& called) {
    const std::string name = shortened(guard ? guard->text(called) : called, kMostNameBytes);
    const std::string title = name + " (" + id + ")";
    const std::string tab = "terminally://tab/" + id;
    entries.push_back(entry("uri", tab + "/log", id + " log", "Log of " + title, kLogDescription, kText));
    entries.push_back(
        entry("uri", tab + "/screen", id + " screen", "Screen of " + title, kScreenDescription, kText));
  };
  for (const TabInfo& tab : tabs) {
    add_tab(to_string(tab.window_id), tab.name);
  }
  for (const ordered_json& row : far) {
    add_tab(row.at("window_id").get<std::string>(), text_of(row, "name"));
  }
  ordered_json result;
  result["resources"] = without_titles(std::move(entries), exchange->revision());
  add_cache_hints(result, exchange->revision(), Lifetime::now);
  co_return result;
}

awaitable<ordered_json> list_resource_templates(Peer& /*peer*/, ExchangePtr exchange) {
  refuse_cursor(*exchange->params());
  ordered_json entries = ordered_json::array();
  entries.push_back(entry("uriTemplate", kLogTemplate, "log", "Log of a tab", kLogDescription, kText));
  entries.push_back(
      entry("uriTemplate", kScreenTemplate, "screen", "Screen of a tab", kScreenDescription, kText));
  ordered_json result;
  result["resourceTemplates"] = without_titles(std::move(entries), exchange->revision());
  add_cache_hints(result, exchange->revision(), Lifetime::server);
  co_return result;
}

awaitable<ordered_json> read_resource(Peer& peer, ExchangePtr exchange) {
  const std::string& text = need_string(*exchange->params(), "uri");
  const auto uri = parse_resource_uri(text);
  if (!uri) {
    throw resource_not_found(text, exchange->revision());
  }
  std::optional<std::string> content;
  try {
    content = co_await text_of_resource(peer, *uri);
  } catch (const Error& error) {
    // A closed tab has no screen: it is as absent as one that never was.
    if (error.code() == ErrorCode::not_found || error.code() == ErrorCode::tab_closed) {
      throw resource_not_found(text, exchange->revision(), error.what());
    }
    throw ProtocolError(kInternalError, error.what());
  }
  ordered_json item;
  item["uri"] = text;
  item["mimeType"] = uri->kind == UriKind::tabs ? "application/json" : kText;
  item["text"] = std::move(*content);
  ordered_json result;
  result["contents"].push_back(std::move(item));
  add_cache_hints(result, exchange->revision(), Lifetime::now);
  co_return result;
}

awaitable<ordered_json> complete(Peer& peer, ExchangePtr exchange) {
  const json& argument = object_or_empty(*exchange->params(), "argument");
  const std::string& name = need_string(argument, "name");
  const std::string& begun = need_string(argument, "value");
  std::vector<std::string> values;
  if (takes_window_id(object_or_empty(*exchange->params(), "ref"), name)) {
    const auto guard = peer.core().router->new_guard(*peer.settings());
    const auto shown = [&guard](const std::string& called) { return guard ? guard->text(called) : called; };
    // Matches the tab's id, with or without its "@", or its name as it is shown.
    const std::vector<TabInfo> tabs = co_await open_tabs(peer.core());
    for (const TabInfo& tab : tabs) {
      const std::string id = to_string(tab.window_id);
      if (id.starts_with(begun) || id.starts_with("@" + begun) || shown(tab.name).starts_with(begun)) {
        values.push_back(id);
      }
    }
    const std::vector<ordered_json> far = co_await far_rows(peer.core());
    for (const ordered_json& row : far) {
      const std::string id = row.at("window_id").get<std::string>();
      if (id.starts_with(begun) || shown(text_of(row, "name")).starts_with(begun)) {
        values.push_back(id);
      }
    }
  }
  co_return completion_of(std::move(values));
}

}  // namespace terminally
