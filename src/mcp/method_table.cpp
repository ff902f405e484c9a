// The table of the protocol's methods, the few that have no file of their own, and the making of the Core.
#include "mcp/method_table.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/utf8.hpp"
#include "json/json_rpc.hpp"
#include "mcp/left_running.hpp"
#include "mcp/params.hpp"
#include "mcp/peer.hpp"
#include "mcp/progress.hpp"
#include "mcp/prompts.hpp"
#include "mcp/resources.hpp"
#include "mcp/subscription_methods.hpp"
#include "mcp/task_commands.hpp"
#include "mcp/task_methods.hpp"
#include "mcp/tasks.hpp"
#include "tmux/manager.hpp"
#include "toolkit/dialects.hpp"
#include "toolkit/far_names.hpp"
#include "toolkit/router.hpp"

namespace terminally {
namespace {

using boost::asio::awaitable;
using nlohmann::json;
using nlohmann::ordered_json;

constexpr std::size_t kMostClientBytes = 100;
constexpr const char* kInstructions =
    "Terminal tabs on tmux. execute_command runs a command in a tab (default: the tab \"main\") and returns "
    "exactly what it printed, with its exit code; the tab keeps its directory and variables. For servers and "
    "watchers use "
    "start_process, then read_logs_from_tab or stream_logs_from_tab, and stop_process. When state is "
    "\"running\", "
    "wait_for waits for its end (of several tabs, for the first), cancel_command ends it. Use create_tab for "
    "work in parallel: a tab runs one "
    "command at a time.";

constexpr const char* kOfTexts =
    " The server speaks in the last line of an answer, in brackets, and in as many lines \"note: ...\" above "
    "it as that line says; all else was printed. A short answer without such a line is what a command "
    "printed that exited with 0.";

std::string instructions_for(const Peer& peer) {
  return std::string(kInstructions) + (peer.settings()->answers == AnswerForm::text ? kOfTexts : "");
}

/// The server's capabilities that the revision knows.
ordered_json capabilities(Revision revision) {
  ordered_json has;
  has["tools"] = ordered_json::object();
  if (!is_modern(revision)) {
    has["logging"] = ordered_json::object();
  }
  has["prompts"] = ordered_json::object();
  has["resources"]["subscribe"] = true;
  has["resources"]["listChanged"] = true;
  if (revision >= Revision::v2025_03_26) {
    has["completions"] = ordered_json::object();
  }
  if (revision == Revision::v2025_11_25) {
    has["tasks"]["list"] = ordered_json::object();
    has["tasks"]["cancel"] = ordered_json::object();
    has["tasks"]["requests"]["tools"]["call"] = ordered_json::object();
  }
  if (is_modern(revision)) {
    has["extensions"][kTasksExtension] = ordered_json::object();
  }
  return has;
}

awaitable<ordered_json> initialize(Peer& peer, ExchangePtr exchange) {
  const Revision revision = negotiate(need_string(*exchange->params(), "protocolVersion"));
  peer.agree_on(revision, client_name(*exchange->params(), "clientInfo").value_or(""));
  peer.asks().allow(exchange->params()->value("capabilities", json()));
  ordered_json result;
  result["protocolVersion"] = to_string(revision);
  result["capabilities"] = capabilities(revision);
  result["serverInfo"]["name"] = peer.core().info.name;
  result["serverInfo"]["version"] = peer.core().info.version;
  result["instructions"] = instructions_for(peer);
  if (peer.settings()->gateway) {
    result["_meta"][kPlaceKey] = peer.settings()->gateway->place();
  }
  co_return result;
}

awaitable<ordered_json> discover(Peer& peer, ExchangePtr exchange) {
  ordered_json result;
  result["supportedVersions"] = supported_versions();
  result["capabilities"] = capabilities(exchange->revision());
  result["instructions"] = instructions_for(peer);
  add_cache_hints(result, exchange->revision(), Lifetime::server);
  co_return result;
}

awaitable<ordered_json> ping(Peer& /*peer*/, ExchangePtr /*exchange*/) {
  co_return ordered_json::object();
}

/// This server logs to stderr and has no messages to send: no level is kept.
awaitable<ordered_json> set_level(Peer& /*peer*/, ExchangePtr exchange) {
  static constexpr std::array<std::string_view, 8> kLevels = {"debug", "info",     "notice", "warning",
                                                              "error", "critical", "alert",  "emergency"};
  const std::string& level = need_string(*exchange->params(), "level");
  if (std::ranges::find(kLevels, level) == kLevels.end()) {
    throw ProtocolError(kInvalidParams,
                        "Invalid params: level must be debug, info, notice, warning, error, critical, "
                        "alert or emergency");
  }
  co_return ordered_json::object();
}

bool may_call(const Peer& peer, const Tool& tool) {
  return !peer.settings()->only_looks || (tool.annotations.read_only && !tool.traits.of_files);
}

/// The tools that the peer may call.
ordered_json tools_for(const Peer& peer) {
  ordered_json tools = peer.core().router->list();
  std::erase_if(tools.get_ref<ordered_json::array_t&>(), [&peer](const ordered_json& listed) {
    const Tool* tool = peer.core().router->find(listed["name"].get_ref<const std::string&>());
    return tool == nullptr || !may_call(peer, *tool);
  });
  return tools;
}

awaitable<ordered_json> list_tools(Peer& peer, ExchangePtr exchange) {
  refuse_cursor(*exchange->params());
  ordered_json result;
  result["tools"] = shape_tools(tools_for(peer), exchange->revision(), peer.settings()->answers);
  add_cache_hints(result, exchange->revision(), Lifetime::server);
  co_return result;
}

std::shared_ptr<const json> tool_arguments(const std::shared_ptr<const json>& params) {
  const auto given = params->find("arguments");
  if (given == params->end() || given->is_null()) {
    return std::make_shared<const json>(json::object());
  }
  if (!given->is_object()) {
    throw ProtocolError(kInvalidParams, "Invalid params: arguments must be an object");
  }
  return {params, &*given};
}

/// Reads whose call it is, where another terminally-mcp passes the call on.
void take_words_of_gateway(const json& params, Caller& caller) {
  const json& words = object_or_empty(object_or_empty(params, "_meta"), "terminally-mcp/call");
  if (const auto client = words.find("client"); client != words.end() && client->is_string()) {
    caller.client = shortened(client->get<std::string>(), kMostClientBytes);
  }
  if (const auto key = words.find("key"); key != words.end() && key->is_string()) {
    caller.call_key = shortened(key->get<std::string>(), kMostClientBytes);
  }
  if (words.value("to_end", json()) == true) {
    caller.task = TaskCall{nullptr, caller.call_key};
  }
}

/// What has ended of the commands that the client left running.
NewsBeside news_for(const Peer& peer) {
  TmuxManager* const manager = peer.core().router->services().manager;
  if (manager == nullptr) {
    return nullptr;
  }
  return [left = peer.left_running(), manager](const json& arguments, const ordered_json& answer) {
    return left->news_beside(arguments, answer, [manager](WindowId tab, const std::string& command_id) {
      return manager->commands().on_record(tab, command_id);
    });
  };
}

awaitable<ordered_json> call_tool(Peer& peer, ExchangePtr exchange) {
  const std::string& name = need_string(*exchange->params(), "name");
  const Tool* tool = peer.core().router->find(name);
  if (tool == nullptr) {
    throw ProtocolError(kInvalidParams, "Unknown tool: " + name);
  }
  if (!may_call(peer, *tool)) {
    throw ProtocolError(kInvalidParams,
                        name + " does more than look at tabs, and this client's token may not");
  }
  const auto arguments = in_our_dialect(*tool, tool_arguments(exchange->params()));
  if (becomes_task(*exchange, *tool)) {
    co_return co_await call_as_task(peer, std::move(exchange), *tool, arguments);
  }
  try {
    Caller caller{peer.settings(), exchange->client(), reports_to(exchange->progress())};
    if (peer.settings()->gateway) {
      take_words_of_gateway(*exchange->params(), caller);
    } else {
      caller.news_beside = news_for(peer);  // a gateway's calls are of many clients
    }
    Answer answer = co_await peer.core().router->call(*tool, arguments, std::move(caller));
    ordered_json result = tool_result(std::move(answer), exchange->revision());
    if (peer.settings()->gateway) {
      result["content"] = ordered_json::array();  // the gateway makes the text from structuredContent
    }
    co_return result;
  } catch (const Error& error) {  // the one place where a tool's failure becomes an answer
    exchange->note_tool_error(error.code());
    ordered_json result = tool_error(error.what());
    if (peer.settings()->gateway) {
      result["_meta"][kErrorKey] = to_far_code(error.code());
    }
    co_return result;
  }
}

/// The command of the call that a gateway gave this key; nullopt where none is on record. The server that got
/// the call is dead by then (gateway_lock.hpp), so such a command will never begin.
std::optional<FoundCommand> found_command(const Peer& peer, const Exchange& exchange) {
  if (!peer.settings()->gateway) {
    throw ProtocolError(kMethodNotFound, "Method not found: " + exchange.method());
  }
  return peer.settings()->gateway->find_command(need_string(*exchange.params(), "key"));
}

awaitable<ordered_json> find_command(Peer& peer, ExchangePtr exchange) {
  ordered_json result = ordered_json::object();
  if (const auto found = found_command(peer, *exchange)) {
    result["window_id"] = to_string(found->window);
    result["command_id"] = found->id;
  }
  result["_meta"][kPlaceKey] = peer.settings()->gateway->place();  // behind the look, so that it holds for it
  co_return result;
}

/// Ends the command of that key, and returns when it is over. Leaves another command in the same tab alone.
awaitable<ordered_json> end_command_by_key(Peer& peer, ExchangePtr exchange) {
  const auto found = found_command(peer, *exchange);
  if (found) {
    co_await end_command(*peer.core().router->services().manager, found->window, found->id);
  }
  co_return ordered_json::object();
}

constexpr std::array kMethods = {
    Method{.name = "initialize", .in_legacy = true, .answer = &initialize},
    Method{.name = "server/discover", .in_modern = true, .answer = &discover},
    Method{.name = "ping", .in_legacy = true, .answer = &ping},
    Method{.name = "logging/setLevel", .in_legacy = true, .answer = &set_level},
    Method{.name = "tools/list", .in_legacy = true, .in_modern = true, .answer = &list_tools},
    Method{.name = "tools/call", .in_legacy = true, .in_modern = true, .answer = &call_tool},
    Method{.name = "prompts/list", .in_legacy = true, .in_modern = true, .answer = &list_prompts},
    Method{.name = "prompts/get", .in_legacy = true, .in_modern = true, .answer = &get_prompt},
    Method{.name = "resources/list", .in_legacy = true, .in_modern = true, .answer = &list_resources},
    Method{.name = "resources/templates/list",
           .in_legacy = true,
           .in_modern = true,
           .answer = &list_resource_templates},
    Method{.name = "resources/read", .in_legacy = true, .in_modern = true, .answer = &read_resource},
    Method{.name = "completion/complete", .in_legacy = true, .in_modern = true, .answer = &complete},
    Method{.name = "resources/subscribe", .in_legacy = true, .answer = &subscribe},
    Method{.name = "resources/unsubscribe", .in_legacy = true, .answer = &unsubscribe},
    Method{.name = "subscriptions/listen", .in_modern = true, .lasts = true, .answer = &listen},
    Method{.name = "tasks/get",
           .in_legacy = true,
           .in_modern = true,
           .since = Revision::v2025_11_25,
           .answer = &get_task},
    Method{.name = "tasks/cancel",
           .in_legacy = true,
           .in_modern = true,
           .since = Revision::v2025_11_25,
           .answer = &cancel_task},
    Method{.name = "tasks/result",
           .in_legacy = true,
           .since = Revision::v2025_11_25,
           .answer = &get_task_result},
    Method{.name = "tasks/list", .in_legacy = true, .since = Revision::v2025_11_25, .answer = &list_tasks},
    Method{.name = "terminally-mcp/find_command", .in_legacy = true, .answer = &find_command},
    Method{.name = "terminally-mcp/end_command", .in_legacy = true, .answer = &end_command_by_key},
    Method{.name = "tasks/update", .in_modern = true, .answer = &update_task},
};

}  // namespace

const Method& find_method(std::string_view name, Revision revision) {
  const auto* found = std::ranges::find(kMethods, name, &Method::name);
  const bool known = found != kMethods.end() &&
                     (is_modern(revision) ? found->in_modern : found->in_legacy && revision >= found->since);
  if (!known) {
    throw ProtocolError(kMethodNotFound, "Method not found: " + std::string(name));
  }
  return *found;
}

std::shared_ptr<const Core> make_core(const boost::asio::any_io_executor& executor,
                                      std::shared_ptr<const Router> router, Implementation info) {
  auto tasks = std::make_shared<Tasks>(executor, router);
  auto feeds =
      std::make_shared<ResourceFeeds>(executor, router->services().manager, router->services().hosts);
  return std::make_shared<const Core>(
      Core{executor, std::move(router), std::move(info), std::move(tasks), std::move(feeds), &find_method});
}

}  // namespace terminally
