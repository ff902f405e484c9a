// Keeps the unfinished requests of a peer by id, within limits.
#include "mcp/in_flight.hpp"

#include <algorithm>

#include "mcp/json_rpc.hpp"

namespace terminally {

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
