#include "mcp/peer.hpp"

#include <algorithm>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>
#include <iostream>
#include <nlohmann/json.hpp>
#include <utility>
#include <variant>

#include "base/error.hpp"
#include "base/timeout.hpp"
#include "json/json_rpc.hpp"
#include "mcp/call_end.hpp"
#include "mcp/failures.hpp"
#include "mcp/outlet.hpp"
#include "mcp/params.hpp"
#include "secrets/text_guard.hpp"
#include "toolkit/router.hpp"

namespace terminally {
namespace {

namespace asio = boost::asio;
using nlohmann::json;
using nlohmann::ordered_json;
using Kind = RpcMessage::Kind;

/// The first revision in which an error may have no id.
constexpr Revision kErrorsWithoutId = Revision::v2025_11_25;

bool is_answered(const RpcMessage& message) {
  return message.kind == Kind::request || message.kind == Kind::invalid;
}

}  // namespace

bool ends_things(const Router& router, const std::string& method, const json& params) {
  if (method == "tools/call") {
    const auto name = params.find("name");
    const Tool* tool = name != params.end() && name->is_string()
                           ? router.find(name->get_ref<const std::string&>())
                           : nullptr;
    return tool != nullptr && tool->traits.ends_things;
  }
  return method == "ping" || method == "tasks/cancel";
}

namespace {

/// Batches are of a legacy revision, and what negotiates one comes alone.
bool fits_in_batch(const RpcMessage& message) {
  return message.kind != Kind::request ||
         (message.method != "initialize" && !claims_revision(*message.params));
}

/// The stream's one reply, if there is one, and its end.
void finish(Stream& stream, RpcReply reply) {
  if (!reply.text.empty()) {
    stream.reply(std::move(reply));
  }
  stream.end();
}

Exchange::Reply finishes(std::shared_ptr<Stream> stream) {
  return [stream = std::move(stream)](RpcReply reply) { finish(*stream, std::move(reply)); };
}

/// The message with the result of a request, or what went wrong.
std::variant<std::string, ProtocolError> reply_or_problem(const std::string& id,
                                                          const std::exception_ptr& failure,
                                                          const ordered_json& result) {
  if (failure) {
    return error_of(failure, id);
  }
  std::string text = result_message(id, result);
  if (text.size() > kMostMessageBytes) {
    return too_long_for_a_message(text.size());
  }
  return text;
}

}  // namespace

Peer::Peer(std::shared_ptr<const Core> core, PeerSettingsPtr settings, std::shared_ptr<Stream> unasked)
    : core_(std::move(core)),
      known_(core_->peers->enter(std::move(settings))),
      outlet_(std::make_shared<Outlet>(std::move(unasked))),
      subscriptions_(core_->router->services(), core_->feeds, outlet_) {}

void Peer::receive(std::string_view text, const std::shared_ptr<Stream>& stream) {
  if (closed_) {
    return;
  }
  receive(read_messages(text), text.size(), stream);
}

void Peer::receive(const RpcInput& input, std::size_t bytes, const std::shared_ptr<Stream>& stream,
                   const std::shared_ptr<const void>& held) {
  if (closed_) {
    return;
  }
  if (input.batch) {
    return receive_batch(input, bytes, stream, held);
  }
  handle(input.messages.front(), bytes, stream, finishes(stream), held);
}

void Peer::receive_batch(const RpcInput& input, std::size_t bytes, const std::shared_ptr<Stream>& stream,
                         const std::shared_ptr<const void>& held) {
  constexpr std::size_t kMostInBatch = 1'000;
  if (!knows_batches(negotiated_)) {
    return refuse_batch(input, ProtocolError(kInvalidRequest, "Invalid request: batches are not supported"),
                        *stream);
  }
  if (input.messages.size() > kMostInBatch) {
    return refuse_batch(
        input,
        ProtocolError(kInvalidRequest,
                      "Invalid request: a batch of " + std::to_string(input.messages.size()) +
                          " messages is too long; at most " + std::to_string(kMostInBatch) + " are allowed"),
        *stream);
  }
  const auto batch =
      std::make_shared<Batch>([stream](std::string answers) { finish(*stream, {std::move(answers)}); });
  batch->expect("");  // the batch is open until all of it is read
  for (const RpcMessage& message : input.messages) {
    if (is_answered(message)) {
      batch->expect(message.id);
    }
  }
  for (const RpcMessage& message : input.messages) {
    const Exchange::Reply reply = [batch, message_id = message.id,
                                   expected = is_answered(message)](RpcReply answer) {
      if (expected) {
        batch->answer(message_id, std::move(answer.text));
      }
    };
    if (fits_in_batch(message)) {
      handle(message, bytes / input.messages.size(), stream, reply, held);
    } else {
      reply(error_reply(message.id,
                        ProtocolError(kInvalidRequest, "Invalid request: initialize, and requests of " +
                                                           std::string(to_string(Revision::v2026_07_28)) +
                                                           ", must not be part of a batch")));
    }
  }
  batch->answer("", {});
}

/// Refuses the batch by one error without an id; where the revision has no such error, by one for each
/// request.
void Peer::refuse_batch(const RpcInput& input, const ProtocolError& error, Stream& stream) {
  if (negotiated_ >= kErrorsWithoutId) {
    return finish(stream, error_reply("", error));
  }
  for (const RpcMessage& message : input.messages) {
    if (RpcReply reply = is_answered(message) ? error_reply(message.id, error) : RpcReply();
        !reply.text.empty()) {
      stream.reply(std::move(reply));
    }
  }
  stream.end();
}

/// `reply` is called once, with an empty text where the message has none.
void Peer::handle(const RpcMessage& message, std::size_t bytes, const std::shared_ptr<Stream>& stream,
                  const Exchange::Reply& reply, const std::shared_ptr<const void>& held) {
  switch (message.kind) {
    case Kind::request:
      return start(std::make_shared<Exchange>(message, bytes, stream, reply, held));
    case Kind::notification:
      notice(message);
      return reply({});
    case Kind::response:
      asks_.take(message);
      return reply({});
    case Kind::invalid:
      return reply(error_reply(message.id, message.error));
    case Kind::ignored:
      return reply({});
  }
}

void Peer::start(const ExchangePtr& exchange) {
  try {
    in_flight_.add(exchange, ends_things(*core_->router, exchange->method(), *exchange->params()));
  } catch (const ProtocolError& error) {
    exchange->reply(error_reply(exchange->id(), error));
    return tell_of_end(*core_, *known_, *exchange, nullptr, error.code(), Clock::duration(0));
  }
  // NOLINTNEXTLINE(clang-analyzer-cplusplus.NewDeleteLeaks): loses sight of the handler once it is moved
  auto done = [self = shared_from_this(), exchange, begun = Clock::now()](const std::exception_ptr& failure,
                                                                          const ordered_json& result) {
    self->in_flight_.remove(*exchange);
    self->exchange_ended_.notify();
    std::optional<int> error;
    if (exchange->wants_reply()) {
      auto made = reply_or_problem(exchange->id(), failure, result);
      const auto* problem = std::get_if<ProtocolError>(&made);
      RpcReply reply = problem != nullptr ? self->error_reply(exchange->id(), *problem)
                                          : RpcReply{std::get<std::string>(std::move(made))};
      error = reply.error;
      exchange->reply(std::move(reply));
    }
    exchange->end();
    tell_of_end(*self->core_, *self->known_, *exchange, result, error, Clock::now() - begun);
  };
  asio::co_spawn(core_->executor, answer(exchange),
                 asio::bind_cancellation_slot(exchange->cancellation(), std::move(done)));
}

asio::awaitable<ordered_json> Peer::answer(ExchangePtr exchange) {
  const Revision revision = revision_of(exchange->method(), *exchange->params(), negotiated_);
  const Method& method = core_->find_method(exchange->method(), revision);
  exchange->admit(revision, modern_client_name(*exchange->params()).value_or(known_->client), method.lasts);
  ordered_json result = co_await method.answer(*this, exchange);
  decorate(result, core_->info, revision);
  co_return result;
}

/// Unknown ones are ignored.
void Peer::notice(const RpcMessage& notification) {
  if (notification.method == "notifications/initialized") {
    return subscriptions_.announce_list_changes();
  }
  if (notification.method == "notifications/terminally-mcp/goodbye" && settings()->gateway &&
      settings()->gateway->on_goodbye) {
    return settings()->gateway->on_goodbye();
  }
  if (notification.method != "notifications/cancelled") {
    return;
  }
  const auto id = notification.params->find("requestId");
  const auto key = id == notification.params->end() ? std::nullopt : id_key(*id);
  if (const ExchangePtr exchange = key ? in_flight_.find(*key) : nullptr) {
    exchange->cancel();
  }
}

asio::awaitable<void> Peer::wait_for_room() {
  while (!in_flight_.has_room()) {
    co_await exchange_ended_.wait();
  }
}

asio::awaitable<void> Peer::wait_for_answers() {
  while (in_flight_.size() > in_flight_.lasting()) {
    co_await exchange_ended_.wait();
  }
}

void Peer::refuse_unanswered(const std::string& why) {
  for (const ExchangePtr& exchange : in_flight_.all()) {
    if (exchange->wants_reply() && !exchange->lasts()) {
      exchange->reply(error_reply(exchange->id(), ProtocolError(kInternalError, why)));
    }
  }
}

void Peer::give_up() {
  for (const ExchangePtr& exchange : in_flight_.all()) {
    exchange->cancel();
  }
}

asio::awaitable<void> Peer::end_subscriptions() {
  subscriptions_.end();
  while (in_flight_.lasting() > 0) {
    co_await exchange_ended_.wait();
  }
}

void Peer::close(bool stop_calls) {
  closed_ = true;
  outlet_->close();
  for (const ExchangePtr& exchange : in_flight_.all()) {
    exchange->abandon(stop_calls);
  }
  asks_.close();
  subscriptions_.close();
}

void Peer::agree_on(Revision revision, std::string client) {
  negotiated_ = revision;
  known_->client = std::move(client);
}

/// Where an error must have an id, and none could be read, nothing can be said but on stderr.
RpcReply Peer::error_reply(const std::string& id, const ProtocolError& error) const {
  const auto guard = core_->router->new_guard(*settings());
  const ProtocolError shown = echoed(error, guard.get());
  if (id.empty() && negotiated_ < kErrorsWithoutId) {
    std::cerr << "terminally-mcp: a message without a usable id was not answered: " << shown.what() << '\n';
    return {};
  }
  return {error_message(id, shown), shown.code()};
}

}  // namespace terminally
