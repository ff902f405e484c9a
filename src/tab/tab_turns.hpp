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

  /// The tabs that calls are for; none: the tab is yet to be found.
  using Calls = std::multiset<std::optional<WindowId>>;

  /// Counts a call that is to begin a command, from the call's arrival on.
  class Call {
   public:
    Call(std::shared_ptr<Calls> calls, std::optional<WindowId> window)
        : calls_(std::move(calls)), place_(calls_->insert(window)) {}
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;
    ~Call() { has_begun(); }

    void goes_to(WindowId window) {
      has_begun();
      place_ = calls_->insert(window);
    }
    /// It has begun its command, or will not: it counts no longer.
    void has_begun() {
      if (place_ != calls_->end()) {
        calls_->erase(std::exchange(place_, calls_->end()));
      }
    }

   private:
    std::shared_ptr<Calls> calls_;  // a call may be destroyed after the manager
    Calls::iterator place_;
  };

  [[nodiscard]] Call call_for(std::optional<WindowId> window) { return {calls_, window}; }
  /// Whether such a call waits for its turn in the tab, or for its prompt; `window` none: for a tab.
  [[nodiscard]] bool called(std::optional<WindowId> window) const { return calls_->contains(window); }

  /// Waits until `give_up_at` at most.
  [[nodiscard]] Awaitable<Turn> lock_by(WindowId window, Clock::time_point give_up_at) {
    return turns_.lock_by(window, give_up_at);
  }
  [[nodiscard]] Awaitable<Guard> lock(WindowId window) { return turns_.lock(window); }
  [[nodiscard]] bool taken(WindowId window) const { return turns_.locked(window); }

 private:
  KeyedMutex<WindowId> turns_;
  std::shared_ptr<Calls> calls_ = std::make_shared<Calls>();
};

}  // namespace terminally
