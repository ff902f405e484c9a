#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "mcp/exchange.hpp"

namespace terminally {

/// The exchanges of one peer that are not over, by the key of their id: ids of different peers have nothing
/// to do with each other.
class InFlight {
 public:
  static constexpr std::size_t kMax = 1'000;
  static constexpr std::size_t kReserve = 100;  ///< beyond kMax, for what ends things

  /// Throws `ProtocolError` when its id is taken or there are too many. `ends_things`: the reserve is there
  /// for it.
  void add(const ExchangePtr& exchange, bool ends_things);
  void remove(const Exchange& exchange);

  /// Null when there is none: it is unknown, or done.
  [[nodiscard]] ExchangePtr find(const std::string& key) const;
  [[nodiscard]] std::vector<ExchangePtr> all() const;

  [[nodiscard]] std::size_t size() const { return exchanges_.size(); }
  /// Of the texts of all of them.
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  /// How many only end with their client or the peer.
  [[nodiscard]] std::size_t lasting() const;

 private:
  std::map<std::string, ExchangePtr> exchanges_;
  std::size_t bytes_ = 0;
};

}  // namespace terminally
