#pragma once

#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "base/awaitable.hpp"
#include "base/ids.hpp"
#include "base/keyed_mutex.hpp"

namespace terminally {

/// Serializes the calls of this process that run commands in the same tab.
class TabTurns {
 public:
  using Guard = KeyedMutex<WindowId>::Guard;
  using Turn = KeyedMutex<WindowId>::Turn;

  /// Counts a call that runs a command in the tab it names, from the call's arrival on.
  class Call {
   public:
    Call(std::shared_ptr<std::multiset<WindowId>> calls, std::optional<WindowId> window)
        : calls_(std::move(calls)), place_(window ? calls_->insert(*window) : calls_->end()) {}
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;
    ~Call() {
      if (place_ != calls_->end()) {
        calls_->erase(place_);
      }
    }

   private:
    std::shared_ptr<std::multiset<WindowId>> calls_;  // a call may be destroyed after the manager
    std::multiset<WindowId>::iterator place_;
  };

  [[nodiscard]] Call call_for(std::optional<WindowId> window) { return {calls_, window}; }
  /// Whether such a call has its turn or waits for it.
  [[nodiscard]] bool called(WindowId window) const { return calls_->contains(window); }

  /// Waits until `give_up_at` at most.
  [[nodiscard]] Awaitable<Turn> lock_by(WindowId window, Clock::time_point give_up_at) {
    return turns_.lock_by(window, give_up_at);
  }
  [[nodiscard]] Awaitable<Guard> lock(WindowId window) { return turns_.lock(window); }
  [[nodiscard]] bool taken(WindowId window) const { return turns_.locked(window); }

 private:
  KeyedMutex<WindowId> turns_;
  std::shared_ptr<std::multiset<WindowId>> calls_ = std::make_shared<std::multiset<WindowId>>();
};

}  // namespace terminally
