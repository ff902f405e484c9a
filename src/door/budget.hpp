#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>

namespace terminally {

/// What the requests that are not answered yet may take together. Those of one token take three quarters of
/// it at most: who asks too much leaves room for others.
class Budget {
 public:
  static constexpr std::size_t kMostRequests = 4'000;
  static constexpr std::size_t kMostBytes = std::size_t{256} << 20U;
  /// Beyond that, for what ends others: of each token.
  static constexpr std::size_t kReserveRequests = 100;
  static constexpr std::size_t kReserveBytes = std::size_t{4} << 20U;

  /// A part of it, given back by whoever lets go of it last.
  using Share = std::shared_ptr<const void>;

  /// For a text of so many requests and bytes. Null where there is no room. `of_reserve`: it may use the
  /// reserve.
  [[nodiscard]] Share take(const std::string& credential, std::size_t requests, std::size_t bytes,
                           bool of_reserve = false);

  struct Taken {
    std::size_t requests = 0;
    std::size_t bytes = 0;
  };
  [[nodiscard]] const Taken& taken() const { return ledger_->in_all; }

 private:
  struct Ledger {
    Taken in_all;
    std::map<std::string, Taken> by_token;
  };
  class Part;

  /// Parts may outlive the budget.
  std::shared_ptr<Ledger> ledger_ = std::make_shared<Ledger>();
};

}  // namespace terminally
