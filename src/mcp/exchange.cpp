// Follows one request from its admission to its reply, its cancellation or the end of its peer.
// Keeps the unfinished requests of a peer by id, within limits.

#include "mcp/exchange.hpp"

#include <algorithm>
#include <boost/asio/cancellation_type.hpp>
#include <utility>

#include "json/json_rpc.hpp"

namespace terminally {

Exchange::Exchange(RpcMessage request, std::size_t bytes, std::shared_ptr<Stream> stream, Reply reply,
                   std::shared_ptr<const void> held)
    : held_(std::move(held)),
      request_(std::move(request)),
      bytes_(bytes),
      outlet_(std::make_shared<Outlet>(std::move(stream))),
      reply_(std::move(reply)) {}

void Exchange::admit(Revision revision, std::string client, bool lasts) {
  admitted_ = Admission{revision, std::move(client), lasts};
  if (const std::string token = progress_token(*request_.params); !token.empty()) {
    progress_ = std::make_shared<ProgressSink>(token, revision, outlet_);
  }
}

void Exchange::reply(RpcReply reply) {
  state_ = State::replied;
  outlet_->close();
  std::exchange(reply_, nullptr)(std::move(reply));
}

void Exchange::cancel() {
  given_up_ = true;
  silence(State::cancelled);
  cancel_.emit(boost::asio::cancellation_type::terminal);
}

void Exchange::abandon(bool stop) {
  silence(State::abandoned);
  reply_ = nullptr;
  if (stop) {
    cancel_.emit(boost::asio::cancellation_type::terminal);
  }
}

void Exchange::end() {
  if (const auto undo = std::exchange(undo_, nullptr); undo && given_up_) {
    undo();
  }
  if (state_ == State::cancelled) {
    std::exchange(reply_, nullptr)({});
  }
}

/// Nothing is sent from here on. Closes the progress separately, as a task's progress has another outlet.
void Exchange::silence(State why) {
  if (state_ == State::replied) {
    return;
  }
  state_ = why;
  outlet_->close();
  if (progress_) {
    progress_->close();
  }
}

void InFlight::add(const ExchangePtr& exchange, bool ends_things) {
  if (exchanges_.contains(exchange->key())) {
    throw ProtocolError(kInvalidRequest, "Invalid request: id " + exchange->key() + " is still in use");
  }
  if (exchanges_.size() >= kMax + (ends_things ? kReserve : 0)) {
    throw ProtocolError(kInternalError, "Too many requests at once: " + std::to_string(exchanges_.size()) +
                                            " are unanswered: wait for answers; ping, tasks/cancel, "
                                            "cancel_command, stop_process and close_tab are still accepted");
  }
  exchanges_.emplace(exchange->key(), exchange);
  bytes_ += exchange->bytes();
}

void InFlight::remove(const Exchange& exchange) {
  if (exchanges_.erase(exchange.key()) > 0) {
    bytes_ -= exchange.bytes();
  }
}

ExchangePtr InFlight::find(const std::string& key) const {
  const auto found = exchanges_.find(key);
  return found == exchanges_.end() ? nullptr : found->second;
}

std::vector<ExchangePtr> InFlight::all() const {
  std::vector<ExchangePtr> all;
  all.reserve(exchanges_.size());
  for (const auto& [key, exchange] : exchanges_) {
    all.push_back(exchange);
  }
  return all;
}

std::size_t InFlight::lasting() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(exchanges_, [](const auto& entry) { return entry.second->lasts(); }));
}

}  // namespace terminally
