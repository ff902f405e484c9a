// Makes of a request that is over what watchers are told of it.
#include "mcp/call_end.hpp"

#include <nlohmann/json.hpp>

#include "calls/ended_call.hpp"
#include "mcp/core.hpp"
#include "mcp/exchange.hpp"
#include "toolkit/far_names.hpp"
#include "toolkit/router.hpp"

namespace terminally {
namespace {

/// A name that the client gave counts only where it is one of ours: who counts by names must not be flooded.
std::string_view called_tool(const Core& core, const Exchange& exchange) {
  const auto name = exchange.params()->find("name");
  const bool is_call = exchange.method() == "tools/call" && name != exchange.params()->end();
  const Tool* tool =
      is_call && name->is_string() ? core.router->find(name->get_ref<const std::string&>()) : nullptr;
  return tool != nullptr ? tool->name : std::string_view();
}

bool is_tool_error(const nlohmann::ordered_json& result) {
  return result.is_object() && result.value("isError", false);
}

CallOutcome outcome_of(const nlohmann::ordered_json& result, std::optional<int> error) {
  if (!error) {
    return CallOutcome::cancelled;
  }
  return *error != 0             ? CallOutcome::protocol_error
         : is_tool_error(result) ? CallOutcome::tool_error
                                 : CallOutcome::ok;
}

std::string error_text(const Exchange& exchange, CallOutcome outcome, std::optional<int> error) {
  if (outcome == CallOutcome::protocol_error) {
    return std::to_string(error.value_or(0));
  }
  return outcome == CallOutcome::tool_error && exchange.tool_error()
             ? std::string(to_far_code(*exchange.tool_error()))
             : "";
}

}  // namespace

void tell_of_end(const Core& core, const PeerRegister::Entry& peer, const Exchange& exchange,
                 const nlohmann::ordered_json& result, std::optional<int> error, Clock::duration took) {
  if (!core.peers->is_watched()) {
    return;
  }
  const CallOutcome outcome = outcome_of(result, error);
  const bool named = exchange.admitted() && !exchange.client().empty();
  const std::string& client = named ? exchange.client() : peer.client;  // initialize has just named it
  const std::string_view method = exchange.admitted() ? exchange.method() : std::string_view();
  core.peers->tell(EndedCall{*peer.settings, client, method, called_tool(core, exchange), *exchange.params(),
                             outcome, error_text(exchange, outcome, error), took});
}

}  // namespace terminally
