// Finds tools by name, calls them here or on a host, and masks what they answer.
#include "toolkit/router.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "json/json_reader.hpp"
#include "secrets/text_guard.hpp"
#include "tmux/manager.hpp"
#include "toolkit/answer_text.hpp"
#include "toolkit/far_calls.hpp"
#include "toolkit/far_names.hpp"
#include "toolkit/one_of_tabs.hpp"
#include "toolkit/results_json.hpp"

namespace terminally {

using nlohmann::json;
using nlohmann::ordered_json;

namespace {

/// Whether the call's place among the others of a tab matters. Those that only read wait for nobody, nor do
/// those that end things.
bool keeps_order(const Tool& tool, const json& arguments) {
  return !tool.annotations.read_only && !tool.traits.ends_things &&
         (tool.traits.begins != Begins::nothing || arguments.contains("window_id"));
}

/// Replaces a tab's unique name in window_id by its id. Other text stays, and the reader refuses it. A tab
/// with an id that is not known yet is known afterwards, if there is one.
boost::asio::awaitable<std::shared_ptr<const json>> with_tab_id(TmuxManager* manager,
                                                                std::shared_ptr<const json> arguments) {
  const auto given = arguments->find("window_id");
  if (manager == nullptr || given == arguments->end() || !given->is_string()) {
    co_return arguments;
  }
  std::string name = given->get<std::string>();
  if (const auto id = parse_window_id(name); id && manager->tabs().knows(*id)) {
    co_return arguments;
  }
  const std::optional<WindowId> window = co_await manager->tabs().named(std::move(name));
  if (!window) {
    co_return arguments;
  }
  json changed = *arguments;
  changed["window_id"] = to_string(*window);
  co_return std::make_shared<const json>(std::move(changed));
}

/// A tab here may have the name of a tab of a host: from a time before the host was added, or from a person.
boost::asio::awaitable<void> refuse_if_named_here(TmuxManager* manager,
                                                  std::shared_ptr<const json> arguments) {
  const auto given = text_field(*arguments, "window_id");
  const auto far = given && !arguments->contains("host") ? split_far_name(*given) : std::nullopt;
  if (manager == nullptr || !far || parse_window_id(far->rest)) {
    co_return;
  }
  bool is_here = false;
  try {
    const std::optional<WindowId> window = co_await manager->tabs().named(*given);
    is_here = window.has_value();
  } catch (const Error& error) {  // several have the name, or no tab of this side can be asked
    is_here = error.code() == ErrorCode::invalid_argument;
  }
  if (is_here) {
    throw Error(ErrorCode::invalid_argument,
                "window_id: \"" + *given +
                    "\" is the name of a tab of this machine, and may be one of the host \"" + far->host +
                    "\"; nothing was done. Give the window_id of the tab you mean (see list_tabs)");
  }
}

/// The variables in create_tab's `env`, without malformed ones, which the tool refuses.
std::vector<Variable> given_variables(const json& arguments) {
  std::vector<Variable> variables;
  const auto env = arguments.find("env");
  if (env == arguments.end() || !env->is_object()) {
    return variables;
  }
  for (const auto& [name, value] : env->items()) {
    if (value.is_string()) {
      variables.emplace_back(name, value.get<std::string>());
    }
  }
  return variables;
}

void add_news(const NewsBeside& news_beside, const json& arguments, ordered_json& result, TextGuard* guard) {
  if (!news_beside) {
    return;
  }
  for (const std::string& news : news_beside(arguments, result)) {
    result["notes"].push_back(guard != nullptr ? guard->text(news) : news);
  }
}

Error guarded_error(const Error& error, TextGuard* guard) {
  return {error.code(), guard != nullptr ? guard->text(error.what()) : error.what()};
}

}  // namespace

Router::Router(std::vector<Tool> tools, Services services)
    : tools_(std::move(tools)), services_(std::move(services)) {
  if (!services_.hosts) {
    std::erase_if(tools_, [](const Tool& tool) { return tool.traits.describes_hosts; });
  }
}

const Tool* Router::find(std::string_view name) const {
  const auto found = std::ranges::find(tools_, name, &Tool::name);
  return found == tools_.end() ? nullptr : &*found;
}

std::shared_ptr<TextGuard> Router::new_guard(const PeerSettings& peer) const {
  if (!peer.redaction) {
    return nullptr;
  }
  Redaction& redaction = *peer.redaction;
  if (services_.manager != nullptr && !redaction.variables.empty()) {
    redaction.learn(services_.manager->tabs().new_variables(redaction.variables, redaction.tabs));
  }
  return std::make_shared<TextGuard>(redaction.secrets);
}

ordered_json Router::list() const {
  ordered_json tools = ordered_json::array();
  for (const Tool& tool : tools_) {
    ArgsSchema input;
    tool.describe_args(input);
    ResultSchema output;
    tool.describe_result(output);
    output.add_notes();
    ordered_json entry;
    entry["name"] = tool.name;
    entry["description"] = tool.description;
    entry["inputSchema"] = input.schema();
    entry["outputSchema"] = output.schema();
    entry["annotations"]["readOnlyHint"] = tool.annotations.read_only;
    entry["annotations"]["destructiveHint"] = tool.annotations.destructive;
    entry["annotations"]["idempotentHint"] = tool.annotations.idempotent;
    entry["annotations"]["openWorldHint"] = tool.annotations.open_world;
    if (tool.traits.task_support != TaskSupport::none) {
      entry["execution"]["taskSupport"] = "optional";
    }
    if (services_.hosts) {
      describe_hosts(tool.traits, entry);
    }
    tools.push_back(std::move(entry));
  }
  return tools;
}

std::string Router::host_of(const Tool& tool, const json& arguments) const {
  try {
    const auto route = services_.hosts ? far_route(*services_.hosts, tool, arguments) : std::nullopt;
    return route ? route->host : "";
  } catch (const Error&) {
    return "";  // `call` throws the same error
  }
}

boost::asio::awaitable<Answer> Router::call(const Tool& tool, std::shared_ptr<const json> arguments,
                                            Caller caller) const {
  const bool as_text = caller.peer->answers == AnswerForm::text;
  Answer answer;
  std::vector<std::shared_ptr<const json>> in_each;
  if (tool.traits.one_of_tabs) {
    in_each = in_each_tab(*arguments);
  }
  if (in_each.empty()) {
    answer.object = co_await call_anywhere(tool, arguments, std::move(caller));
  } else {
    answer.object = co_await call_in_one_of(tool, std::move(in_each), std::move(caller));
  }
  if (as_text) {
    answer.text = answer_text(tool, *arguments, answer.object);
  }
  co_return answer;
}

/// What is news is so beside the one answer that the client gets.
boost::asio::awaitable<ordered_json> Router::call_in_one_of(const Tool& tool,
                                                            std::vector<std::shared_ptr<const json>> in_each,
                                                            Caller caller) const {
  const NewsBeside news_beside = std::exchange(caller.news_beside, nullptr);
  const auto made = std::make_shared<std::vector<json>>(in_each.size());  // with the ids of the tabs
  std::vector<boost::asio::awaitable<ordered_json>> calls;
  calls.reserve(in_each.size());
  for (std::size_t at = 0; at < in_each.size(); ++at) {
    Caller one = caller;
    one.news_beside = [made, at](const json& arguments, const ordered_json& /*answer*/) {
      (*made)[at] = arguments;
      return std::vector<std::string>();
    };
    calls.push_back(call_anywhere(tool, in_each[at], std::move(one)));
  }
  FirstAnswer first = co_await first_answer(std::move(calls));
  const std::shared_ptr<TextGuard> guard = new_guard(*caller.peer);
  add_news(news_beside, (*made)[first.of], first.result, guard.get());
  first.result["window_id"] = in_each[first.of]->at("window_id");
  co_return std::move(first.result);
}

boost::asio::awaitable<ordered_json> Router::call_anywhere(const Tool& tool,
                                                           std::shared_ptr<const json> arguments,
                                                           Caller caller) const {
  if (caller.peer->redaction &&
      tool.traits.gives_env) {  // learnt for a host's tab, too: the host is not told what to mask
    caller.peer->redaction->learn(given_variables(*arguments));
  }
  std::shared_ptr<TextGuard> guard = new_guard(*caller.peer);
  if (!services_.hosts) {
    co_return co_await call_here(tool, std::move(arguments), std::move(caller), std::move(guard));
  }
  std::optional<FarRoute> route;
  try {
    route = far_route(*services_.hosts, tool, *arguments);
    if (route) {
      const auto turn = co_await in_turn(tool, arguments, route->host);
      co_await refuse_if_named_here(services_.manager, arguments);
    }
  } catch (const Error& error) {
    throw guarded_error(error, guard.get());
  }
  if (route) {
    co_return co_await call_there(*services_.hosts, tool, *std::move(route), std::move(caller),
                                  std::move(guard));
  }
  ordered_json result = co_await call_here(tool, std::move(arguments), std::move(caller), guard);
  if (tool.traits.lists_tabs) {
    co_await add_far_tabs(*services_.hosts, result, std::move(guard));
  }
  co_return result;
}

/// From here on to its place in the tab's queue a call does not wait: who has had its turn is before all that
/// come later, also where it names the tab by a name that tmux is asked about, and they by its id.
boost::asio::awaitable<AsyncMutex::Guard> Router::in_turn(const Tool& tool,
                                                          std::shared_ptr<const json> arguments,
                                                          std::string host) const {
  AsyncMutex::Turn turn;
  if (!keeps_order(tool, *arguments)) {
    co_return std::move(turn.guard);
  }
  turn = co_await arrivals_->lock_by(std::move(host), Clock::now() + services_.sync_window);
  if (!turn.guard) {
    throw Error(ErrorCode::tmux_timeout,
                "tmux has not said yet which tab an earlier call means by its name; nothing was done. Try "
                "again later");
  }
  co_return std::move(turn.guard);
}

boost::asio::awaitable<ordered_json> Router::call_here(const Tool& tool,
                                                       std::shared_ptr<const json> arguments, Caller caller,
                                                       std::shared_ptr<TextGuard> guard) const {
  ResultWriter writer(guard.get());
  ToolContext context{services_};
  context.default_view = {caller.peer->view, guard};
  context.files = caller.peer->files;
  context.as_text = caller.peer->answers == AnswerForm::text;
  const NewsBeside news_beside = caller.news_beside;
  context.caller = std::move(caller);
  try {
    {
      const auto turn = co_await in_turn(tool, arguments, "");
      arguments = co_await with_tab_id(context.manager, std::move(arguments));
    }
    ArgsReader reader(*arguments);
    co_await tool.call(std::move(context), reader, writer);
  } catch (const Error& error) {
    throw guarded_error(error, guard.get());
  }
  ordered_json result = std::move(writer.result());
  add_news(news_beside, *arguments, result, guard.get());
  if (const std::string note = guard ? guard->note() : ""; !note.empty()) {
    result["notes"].push_back(note);
  }
  co_return result;
}

}  // namespace terminally
