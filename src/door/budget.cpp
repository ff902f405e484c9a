// Keeps count of what is asked and not answered.
#include "door/budget.hpp"

#include <utility>

namespace terminally {

class Budget::Part {
 public:
  Part(std::shared_ptr<Ledger> ledger, std::string credential, Taken part)
      : ledger_(std::move(ledger)), credential_(std::move(credential)), part_(part) {
    for (Taken* taken : {&ledger_->in_all, &ledger_->by_token[credential_]}) {
      taken->requests += part_.requests;
      taken->bytes += part_.bytes;
    }
  }
  ~Part() {
    const auto own = ledger_->by_token.find(credential_);
    for (Taken* taken : {&ledger_->in_all, &own->second}) {
      taken->requests -= part_.requests;
      taken->bytes -= part_.bytes;
    }
    if (own->second.requests == 0 && own->second.bytes == 0) {
      ledger_->by_token.erase(own);
    }
  }
  Part(const Part&) = delete;
  Part& operator=(const Part&) = delete;

 private:
  std::shared_ptr<Ledger> ledger_;
  std::string credential_;
  Taken part_;
};

Budget::Share Budget::take(const std::string& credential, std::size_t requests, std::size_t bytes,
                           bool of_reserve) {
  const auto own = ledger_->by_token.find(credential);
  const Taken of_token = own == ledger_->by_token.end() ? Taken() : own->second;
  const Taken more = of_reserve ? Taken{kReserveRequests, kReserveBytes} : Taken();
  const auto fits = [&](const Taken& taken, std::size_t most_requests, std::size_t most_bytes) {
    return taken.requests + requests <= most_requests + more.requests &&
           taken.bytes + bytes <= most_bytes + more.bytes;
  };
  const bool has_room = fits(ledger_->in_all, kMostRequests, kMostBytes) &&
                        fits(of_token, kMostRequests / 4 * 3, kMostBytes / 4 * 3);
  return has_room ? std::make_shared<const Part>(ledger_, credential, Taken{requests, bytes}) : nullptr;
}

}  // namespace terminally
