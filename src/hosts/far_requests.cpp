// Matches the answers and the progress of a far side with the requests that wait for them.
#include "hosts/far_requests.hpp"

#include <utility>

namespace terminally {

std::shared_ptr<FarRequests::Request> FarRequests::add(std::uint64_t id, ReportProgress progress) {
  auto request = std::make_shared<Request>();
  request->progress = std::move(progress);
  requests_[id] = request;
  return request;
}

std::shared_ptr<FarRequests::Request> FarRequests::find(std::uint64_t id) const {
  const auto found = requests_.find(id);
  return found != requests_.end() && !found->second->done.is_set() ? found->second : nullptr;
}

void FarRequests::take(FarMessage message) {
  if (auto* const step = std::get_if<FarStep>(&message)) {
    if (const auto request = find(step->id); request && request->progress) {
      request->progress(step->step);
    }
  } else if (auto* const answer = std::get_if<FarAnswer>(&message)) {
    if (const auto request = find(answer->id)) {
      request->result = std::move(answer->result);
      request->refusal = std::move(answer->refusal);
      request->done.set();
    }
  }
}

void FarRequests::lose_all() {
  for (const auto& [id, request] : requests_) {
    request->lost = request->lost || !request->done.is_set();
    request->done.set();
  }
}

}  // namespace terminally
