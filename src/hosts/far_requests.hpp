#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "base/event.hpp"
#include "hosts/far_messages.hpp"
#include "toolkit/tool.hpp"

namespace terminally {

/// The requests to a far side that wait for their answer. An answer reaches the request that it names, once.
/// Progress reaches a request that asked for progress and has no answer yet. All other messages are dropped.
/// Single-threaded.
class FarRequests {
 public:
  struct Request {
    Event done;  ///< answered, or lost
    bool lost = false;
    nlohmann::ordered_json result;
    std::optional<std::string> refusal;
    ReportProgress progress;
  };

  /// `progress` may be empty. `id` was never used before.
  std::shared_ptr<Request> add(std::uint64_t id, ReportProgress progress);
  void remove(std::uint64_t id) { requests_.erase(id); }
  [[nodiscard]] std::size_t size() const { return requests_.size(); }

  [[nodiscard]] bool waits(std::uint64_t id) const { return find(id) != nullptr; }
  void take(FarMessage message);
  /// Marks all waiting requests as lost: no answer will come.
  void lose_all();

 private:
  /// Null where no such request waits.
  [[nodiscard]] std::shared_ptr<Request> find(std::uint64_t id) const;

  std::map<std::uint64_t, std::shared_ptr<Request>> requests_;
};

}  // namespace terminally
