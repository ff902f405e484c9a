// Sends requests to the client, and gives each answer to the call that waits for it.
#include "mcp/asks.hpp"

#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/event.hpp"
#include "base/utf8.hpp"

namespace terminally {

using nlohmann::json;
using nlohmann::ordered_json;

struct Asks::Question {
  Event over;
  std::shared_ptr<const json> answer;  ///< null: there will be none
};

namespace {

/// Throws for an error in place of a result.
json result_in(const json& answer, const std::string& method) {
  constexpr std::size_t kShown = 1'000;
  const auto error = answer.find("error");
  if (error == answer.end()) {
    return answer.at("result");
  }
  const auto message = error->is_object() ? error->find("message") : error->end();
  const bool says_why = error->is_object() && message != error->end() && message->is_string();
  const std::string why = says_why ? message->get<std::string>() : "it does not say why";
  throw Error(ErrorCode::io, "the client refused " + method + ": " + std::string(shortened(why, kShown)));
}

/// It need not think about it any longer.
std::string take_back(const std::string& id) {
  ordered_json params;
  params["requestId"] = ordered_json::parse(id);
  params["reason"] = "there was no answer in time";
  return notification_message("notifications/cancelled", params);
}

}  // namespace

void Asks::allow(const json& capabilities) {
  answers_.clear();
  for (const char* what : {"elicitation", "roots", "sampling"}) {
    if (capabilities.contains(what)) {
      answers_.insert(what);
    }
  }
}

void Asks::refuse_to_ask(const Exchange& exchange, const std::string& method) const {
  if (is_modern(exchange.revision())) {
    throw Error(ErrorCode::internal, method + " cannot be asked on behalf of a modern request");
  }
  if (!answers_.contains(std::string_view(method).substr(0, method.find('/')))) {
    throw Error(ErrorCode::invalid_argument, "the client has not said that it answers " + method);
  }
  if (!exchange.outlet()->is_open()) {
    throw Error(ErrorCode::io, "the client went away before it was asked " + method);
  }
  if (open_.size() >= kMost) {
    throw Error(ErrorCode::busy,
                "the client has " + std::to_string(open_.size()) + " questions to answer already");
  }
}

Awaitable<json> Asks::ask(ExchangePtr exchange, std::string method, ordered_json params,
                          Clock::time_point until) {
  std::erase_if(open_, [](const auto& entry) { return entry.second.expired(); });
  refuse_to_ask(*exchange, method);
  const auto question = std::make_shared<Question>();
  const std::string id = "\"ask-" + std::to_string(++asked_) + "\"";
  open_.emplace(id, question);
  exchange->outlet()->notify(request_message(id, method, params), Delivery::must);
  const bool is_over = co_await question->over.wait_by(until);
  if (!is_over) {
    open_.erase(id);
    exchange->outlet()->notify(take_back(id), Delivery::must);
    throw Error(ErrorCode::io, "the client has not answered " + method + " in time");
  }
  if (!question->answer) {
    throw Error(ErrorCode::io, "the client went away before it answered " + method);
  }
  co_return result_in(*question->answer, method);
}

void Asks::take(const RpcMessage& response) {
  const auto found = open_.find(response.key);
  const auto question = found == open_.end() ? nullptr : found->second.lock();
  if (question) {
    open_.erase(found);
    question->answer = response.params;
    question->over.set();
  }
}

void Asks::close() {
  for (const auto& [id, waits] : std::exchange(open_, {})) {
    if (const auto question = waits.lock()) {
      question->over.set();
    }
  }
}

}  // namespace terminally
