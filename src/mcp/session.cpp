#include "mcp/session.hpp"

#include <algorithm>
#include <array>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <iostream>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/error.hpp"
#include "base/text_guard.hpp"
#include "mcp/batch.hpp"
#include "mcp/echo.hpp"
#include "mcp/line_framer.hpp"
#include "mcp/outlet.hpp"
#include "mcp/params.hpp"
#include "mcp/shape.hpp"
#include "mcp/subscriptions.hpp"
#include "mcp/tasks.hpp"
#include "tools/router.hpp"

namespace terminally {
namespace {

namespace asio = boost::asio;
using nlohmann::json;
using nlohmann::ordered_json;
using Kind = RpcMessage::Kind;

/// Before it an error must have an id.
constexpr Revision kErrorsWithoutId = Revision::v2025_11_25;

constexpr auto kUntilWoken = asio::as_tuple(asio::use_awaitable);

bool is_answered(const RpcMessage& message) {
  return message.kind == Kind::request || message.kind == Kind::invalid;
}

/// Taken even where too many others are unanswered: a client that has to wait for these cannot help itself.
bool ends_things(const RpcMessage& request) {
  constexpr std::array<std::string_view, 3> kTools = {"cancel_command", "stop_process", "close_tab"};
  if (request.method == "tools/call") {
    const auto name = request.params->find("name");
    return name != request.params->end() && name->is_string() &&
           std::ranges::find(kTools, name->get_ref<const std::string&>()) != kTools.end();
  }
  return request.method == "ping" || request.method == "tasks/cancel";
}

/// Batches are of a legacy revision, and what negotiates one comes alone.
bool fits_in_batch(const RpcMessage& message) {
  return message.kind != Kind::request ||
         (message.method != "initialize" && !claims_revision(*message.params));
}

}  // namespace

Session::Session(asio::any_io_executor executor, std::shared_ptr<const Router> router, Implementation info,
                 Send send)
    : executor_(std::move(executor)),
      send_(std::move(send)),
      answered_(executor_, asio::steady_timer::time_point::max()) {
  const auto outlet = std::make_shared<Outlet>(send_);
  server_.subscriptions = std::make_shared<Subscriptions>(executor_, router->context().manager, outlet);
  server_.tasks = std::make_shared<Tasks>(executor_, router, outlet);
  server_.router = std::move(router);
  server_.info = std::move(info);
}

void Session::receive(std::string_view line) {
  const RpcInput input = read_messages(line);
  if (input.batch) {
    return receive_batch(input, line.size());
  }
  handle(input.messages.front(), line.size(),
         [self = shared_from_this()](std::string message) { self->send(std::move(message)); });
}

void Session::receive_batch(const RpcInput& input, std::size_t bytes) {
  constexpr std::size_t kMostInBatch = 1'000;
  if (server_.negotiated > Revision::v2025_03_26) {  // the last that knows batches
    return refuse_batch(input, ProtocolError(kInvalidRequest, "Invalid request: batches are not supported"));
  }
  if (input.messages.size() > kMostInBatch) {
    return refuse_batch(
        input,
        ProtocolError(kInvalidRequest,
                      "Invalid request: a batch of " + std::to_string(input.messages.size()) +
                          " messages is too long; at most " + std::to_string(kMostInBatch) + " are allowed"));
  }
  const auto batch = std::make_shared<Batch>(
      [self = shared_from_this()](std::string message) { self->send(std::move(message)); });
  for (const RpcMessage& message : input.messages) {
    if (is_answered(message)) {
      batch->expect(message.id);
    }
  }
  for (const RpcMessage& message : input.messages) {
    const Reply reply = [batch, id = message.id](std::string answer) {
      batch->answer(id, std::move(answer));
    };
    if (fits_in_batch(message)) {
      handle(message, bytes / input.messages.size(), reply);
    } else {
      reply(error_text(message.id,
                       ProtocolError(kInvalidRequest, "Invalid request: initialize, and requests of " +
                                                          std::string(to_string(Revision::v2026_07_28)) +
                                                          ", must not be part of a batch")));
    }
  }
}

/// Once, by no id; where the revision has no such error, each request by its own.
void Session::refuse_batch(const RpcInput& input, const ProtocolError& error) {
  if (server_.negotiated >= kErrorsWithoutId) {
    return send(error_text("", error));
  }
  for (const RpcMessage& message : input.messages) {
    if (is_answered(message)) {
      send(error_text(message.id, error));
    }
  }
}

void Session::handle(const RpcMessage& message, std::size_t bytes, const Reply& reply) {
  switch (message.kind) {
    case Kind::request:
      return start(message, bytes, reply);
    case Kind::notification:
      return notice(message);
    case Kind::invalid:
      return reply(error_text(message.id, message.error));
    case Kind::ignored:
      return;
  }
}

void Session::start(const RpcMessage& request, std::size_t bytes, const Reply& reply) {
  InFlight::Entry* entry = nullptr;
  try {
    entry = &in_flight_.add(request.key, bytes, ends_things(request));
  } catch (const ProtocolError& error) {
    return reply(error_text(request.id, error));
  }
  // The request's coroutine owns it: a reply may own this session, which owns the entry.
  const auto kept = std::make_shared<Reply>(reply);
  entry->refuse = [this, id = request.id, weak = std::weak_ptr(kept)](const ProtocolError& why) {
    if (const auto still = weak.lock()) {
      (*still)(error_text(id, why));
    }
  };
  // NOLINTNEXTLINE(clang-analyzer-cplusplus.NewDeleteLeaks): loses sight of the handler once it is moved
  auto done = [self = shared_from_this(), key = request.key, id = request.id, reply = kept](
                  const std::exception_ptr& failure, const ordered_json& result) {
    const InFlight::Entry::Reply wanted = self->in_flight_.remove(key);
    self->answered_.cancel();
    if (wanted == InFlight::Entry::Reply::given) {
      return;
    }
    if (wanted != InFlight::Entry::Reply::wanted) {
      return (*reply)({});
    }
    (*reply)(failure ? self->failure_text(id, failure) : self->result_text(id, result));
  };
  asio::co_spawn(executor_, answer(request),
                 asio::bind_cancellation_slot(entry->cancel.slot(), std::move(done)));
}

asio::awaitable<ordered_json> Session::answer(RpcMessage request) {
  const Revision revision = revision_of(request.method, *request.params, server_.negotiated);
  const Method& method = find_method(request.method, revision);
  if (method.lasts) {
    in_flight_.lasts(request.key);
  }
  Call call{request.id,
            revision,
            request.params,
            progress_of(request, revision),
            modern_client_name(*request.params).value_or(server_.client),
            [this, key = request.key](std::function<void()> undo) {
              in_flight_.undo_if_cancelled(key, std::move(undo));
            }};
  ordered_json result = co_await method.answer(server_, std::move(call));
  decorate(result, server_.info, revision);
  co_return result;
}

std::shared_ptr<ProgressSink> Session::progress_of(const RpcMessage& request, Revision revision) {
  const auto token = progress_token(*request.params);
  if (token.empty()) {
    return nullptr;
  }
  auto sink = std::make_shared<ProgressSink>(token, revision, send_);
  in_flight_.watch(request.key, sink);
  return sink;
}

/// Unknown ones are ignored.
void Session::notice(const RpcMessage& notification) {
  if (notification.method == "notifications/initialized") {
    return server_.subscriptions->announce_list_changes();
  }
  if (notification.method != "notifications/cancelled") {
    return;
  }
  const auto id = notification.params->find("requestId");
  if (const auto key = id == notification.params->end() ? std::nullopt : id_key(*id)) {
    in_flight_.cancel(*key);
  }
}

void Session::refuse_long_line(std::string_view envelope) {
  const std::string limit = std::to_string(kMaxLineBytes);
  const RpcInput input = read_messages(envelope);
  const bool request = input.messages.size() == 1 && input.messages.front().kind == RpcMessage::Kind::request;
  const std::string id = request ? input.messages.front().id : "";
  send(error_text(id, ProtocolError(kParseError, "Parse error: a message has at most " + limit + " bytes")));
}

asio::awaitable<void> Session::wait_for_room() {
  while (!has_room()) {
    co_await answered_.async_wait(kUntilWoken);
  }
}

asio::awaitable<void> Session::wait_for_answers() {
  while (in_flight_.ending() > 0) {
    co_await answered_.async_wait(kUntilWoken);
  }
}

void Session::refuse_unanswered(const std::string& why) {
  in_flight_.refuse_ending(ProtocolError(kInternalError, why));
}

asio::awaitable<void> Session::end_subscriptions() {
  server_.subscriptions->end();
  while (in_flight_.lasting() > 0) {
    co_await answered_.async_wait(kUntilWoken);
  }
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

std::string Session::result_text(const std::string& id, const ordered_json& result) const {
  std::string text = result_message(id, result);
  if (text.size() <= kMostMessageBytes) {
    return text;
  }
  return error_text(
      id, ProtocolError(kInternalError, "The answer has " + std::to_string(text.size()) +
                                            " bytes, and a message at most " +
                                            std::to_string(kMostMessageBytes) + ": ask for less at once"));
}

/// Where an error must have an id, and none could be read, nothing can be said but on stderr.
std::string Session::error_text(const std::string& id, const ProtocolError& error) const {
  const auto guard = server_.router->new_guard();
  const ProtocolError shown = echoed(error, guard.get());
  if (id.empty() && server_.negotiated < kErrorsWithoutId) {
    std::cerr << "terminally-mcp: a message without a usable id was not answered: " << shown.what() << '\n';
    return {};
  }
  return error_message(id, shown);
}

/// The one place where what went wrong with a request becomes an answer. What is not meant for the client,
/// and may say more than it should know, goes to stderr.
std::string Session::failure_text(const std::string& id, const std::exception_ptr& failure) const {
  std::string cause = "unknown exception";
  try {
    std::rethrow_exception(failure);
  } catch (const ProtocolError& error) {
    return error_text(id, error);
  } catch (const Error& error) {  // of a tool it is a result; other methods have no such thing
    return error_text(id, ProtocolError(kInternalError, error.what()));
  } catch (const std::exception& error) {
    cause = error.what();
  } catch (...) {  // NOLINT(bugprone-empty-catch): answered below like any other
  }
  std::cerr << "terminally-mcp: request " << id << " failed: " << cause << '\n';
  return error_text(id, ProtocolError(kInternalError, "Internal error"));
}

}  // namespace terminally
