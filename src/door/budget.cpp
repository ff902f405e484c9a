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

Budget::Share Budget::take(const std::string& credential, std::size_t requests, std::size_t bytes) {
  const auto own = ledger_->by_token.find(credential);
  const Taken of_token = own == ledger_->by_token.end() ? Taken() : own->second;
  const Taken& in_all = ledger_->in_all;
  const bool fits = in_all.requests + requests <= kMostRequests && in_all.bytes + bytes <= kMostBytes &&
                    of_token.requests + requests <= kMostRequests / 4 * 3 &&
                    of_token.bytes + bytes <= kMostBytes / 4 * 3;
  return fits ? std::make_shared<const Part>(ledger_, credential, Taken{requests, bytes}) : nullptr;
}

}  // namespace terminally
