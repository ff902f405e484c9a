#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "mcp/exchange.hpp"

namespace terminally {

/// The unfinished exchanges of one peer, by the key of their id. Each peer has ids of its own.
class InFlight {
 public:
  static constexpr std::size_t kMax = 1'000;
  static constexpr std::size_t kReserve = 100;  ///< beyond kMax, for requests that end something

  /// Throws `ProtocolError` when the id is taken or there are too many. With `ends_things` the exchange may
  /// use the reserve.
  void add(const ExchangePtr& exchange, bool ends_things);
  void remove(const Exchange& exchange);

  /// Null when the exchange is unknown or done.
  [[nodiscard]] ExchangePtr find(const std::string& key) const;
  [[nodiscard]] std::vector<ExchangePtr> all() const;

  [[nodiscard]] std::size_t size() const { return exchanges_.size(); }
  /// The bytes of all their texts.
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  /// The number of exchanges that only their client or the peer ends.
  [[nodiscard]] std::size_t lasting() const;

 private:
  std::map<std::string, ExchangePtr> exchanges_;
  std::size_t bytes_ = 0;
};

}  // namespace terminally
