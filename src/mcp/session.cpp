#include "mcp/session.hpp"

#include <algorithm>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>
#include <iostream>
#include <nlohmann/json.hpp>
#include <utility>

#include "mcp/line_framer.hpp"
#include "mcp/outlet.hpp"
#include "mcp/params.hpp"
#include "mcp/shape.hpp"
#include "mcp/subscriptions.hpp"
#include "mcp/tasks.hpp"

namespace terminally {
namespace {

namespace asio = boost::asio;
using nlohmann::json;
using nlohmann::ordered_json;
using Kind = RpcMessage::Kind;

bool is_answered(const RpcMessage& message) {
  return message.kind == Kind::request || message.kind == Kind::invalid;
}

/// The one place where what went wrong with a request becomes an answer. What is not meant for the client,
/// and may say more than it should know, goes to stderr.
std::string failure_message(const std::string& id, const std::exception_ptr& failure) {
  std::string cause = "unknown exception";
  try {
    std::rethrow_exception(failure);
  } catch (const ProtocolError& error) {
    return error_message(id, error);
  } catch (const std::exception& error) {
    cause = error.what();
  } catch (...) {  // NOLINT(bugprone-empty-catch): answered below like any other
  }
  std::cerr << "terminally-mcp: request " << id << " failed: " << cause << '\n';
  return error_message(id, ProtocolError(kInternalError, "Internal error"));
}

}  // namespace

Session::Session(asio::any_io_executor executor, std::shared_ptr<const Router> router, Implementation info,
                 Send send)
    : executor_(std::move(executor)), send_(std::move(send)) {
  const auto outlet = std::make_shared<Outlet>(send_);
  server_.subscriptions = std::make_shared<Subscriptions>(executor_, outlet);
  server_.tasks = std::make_shared<Tasks>(executor_, router, outlet);
  server_.router = std::move(router);
  server_.info = std::move(info);
}

void Session::receive(std::string_view line) {
  const RpcInput input = read_messages(line);
  if (input.batch) {
    return receive_batch(input);
  }
  handle(input.messages.front(),
         [self = shared_from_this()](std::string message) { self->send(std::move(message)); });
}

void Session::receive_batch(const RpcInput& input) {
  if (server_.negotiated > Revision::v2025_03_26) {  // the last that knows batches
    return send(
        error_message("", ProtocolError(kInvalidRequest, "Invalid request: batches are not supported")));
  }
  constexpr std::size_t kMostInBatch = 1'000;  // their answer is one message, held until the last is there
  if (input.messages.size() > kMostInBatch) {
    return send(
        error_message("", ProtocolError(kInvalidRequest, "Invalid request: a batch of " +
                                                             std::to_string(input.messages.size()) +
                                                             " messages is too long; at most " +
                                                             std::to_string(kMostInBatch) + " are allowed")));
  }
  struct Batch {
    std::size_t missing = 0;
    std::string answers;
  };
  auto batch = std::make_shared<Batch>();
  batch->missing = static_cast<std::size_t>(std::ranges::count_if(input.messages, is_answered));
  const Reply reply = [self = shared_from_this(), batch](const std::string& message) {
    batch->answers.append(batch->answers.empty() || message.empty() ? "" : ",").append(message);
    if (--batch->missing == 0 && !batch->answers.empty()) {
      self->send("[" + batch->answers + "]");
    }
  };
  for (const RpcMessage& message : input.messages) {
    handle(message, reply);
  }
}

void Session::handle(const RpcMessage& message, const Reply& reply) {
  switch (message.kind) {
    case Kind::request:
      return start(message, reply);
    case Kind::notification:
      return notice(message);
    case Kind::invalid:
      return reply(error_message(message.id, message.error));
    case Kind::ignored:
      return;
  }
}

void Session::start(const RpcMessage& request, const Reply& reply) {
  InFlight::Entry* entry = nullptr;
  try {
    entry = &in_flight_.add(request.id);
  } catch (const ProtocolError& error) {
    return reply(error_message(request.id, error));
  }
  // NOLINTNEXTLINE(clang-analyzer-cplusplus.NewDeleteLeaks): loses sight of the handler once it is moved
  auto done = [self = shared_from_this(), id = request.id, reply](const std::exception_ptr& failure,
                                                                  const ordered_json& result) {
    if (!self->in_flight_.remove(id)) {
      return reply({});
    }
    reply(failure ? failure_message(id, failure) : result_message(id, result));
  };
  asio::co_spawn(executor_, answer(request),
                 asio::bind_cancellation_slot(entry->cancel.slot(), std::move(done)));
}

asio::awaitable<ordered_json> Session::answer(RpcMessage request) {
  const Revision revision = revision_of(request.method, *request.params, server_.negotiated);
  const Method& method = find_method(request.method, revision);
  Call call{request.id, revision, request.params, progress_of(request, revision),
            modern_client_name(*request.params).value_or(server_.client)};
  ordered_json result = co_await method.answer(server_, std::move(call));
  decorate(result, server_.info, revision);
  co_return result;
}

ReportProgress Session::progress_of(const RpcMessage& request, Revision revision) {
  const auto token = progress_token(*request.params);
  if (token.empty()) {
    return {};
  }
  auto sink = std::make_shared<ProgressSink>(token, revision, send_);
  if (is_modern(revision) || !request.params->contains("task")) {  // of a legacy task it outlives the answer
    in_flight_.watch(request.id, sink);
  }
  return [sink](const Progress& step) { return sink->report(step); };
}

/// Unknown ones are ignored.
void Session::notice(const RpcMessage& notification) {
  if (notification.method == "notifications/initialized") {
    return server_.subscriptions->announce_list_changes(server_);
  }
  if (notification.method != "notifications/cancelled") {
    return;
  }
  const auto id = notification.params->find("requestId");
  if (id != notification.params->end() && (id->is_string() || id->is_number_integer())) {
    in_flight_.cancel(id->dump());
  }
}

void Session::refuse_long_line() {
  const std::string limit = std::to_string(kMaxLineBytes);
  send(error_message("",
                     ProtocolError(kParseError, "Parse error: a message has at most " + limit + " bytes")));
}

void Session::close(bool stop_calls) {
  send_ = nullptr;
  in_flight_.abandon(stop_calls);
  server_.subscriptions->close();
  server_.tasks->close(stop_calls);
}

void Session::send(std::string message) {
  if (send_ && !message.empty()) {
    send_(std::move(message), Delivery::must);
  }
}

}  // namespace terminally
