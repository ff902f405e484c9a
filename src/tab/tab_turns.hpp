#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "base/awaitable.hpp"
#include "base/ids.hpp"
#include "base/keyed_mutex.hpp"
#include "system/log_watch.hpp"
#include "tab/tab.hpp"
#include "tab/tab_queue.hpp"

namespace terminally {

/// Serializes the calls that run commands in the same tab: those of this process, and those of all processes
/// of ours, in the order they came.
class TabTurns {
 public:
  /// Both the turn in this process and the first place among all. Where no queue can be had (no file can be
  /// made there), it is the first alone.
  class Guard {
   public:
    Guard() = default;
    Guard(AsyncMutex::Guard here, TabQueue::Place place) : here_(std::move(here)), place_(std::move(place)) {}
    explicit operator bool() const { return static_cast<bool>(here_); }

   private:
    AsyncMutex::Guard here_;
    TabQueue::Place place_;  // is left first
  };
  struct Turn {
    Guard guard;            ///< none: the waiter's time was over first
    std::size_t ahead = 0;  ///< how many calls of this process were before it then; 0: only those of others
  };

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

  /// `watch` outlives it.
  explicit TabTurns(LogWatch& watch) : watch_(watch) {}

  [[nodiscard]] Call call_for(std::optional<WindowId> window) { return {calls_, window}; }
  /// Whether such a call waits for its turn in the tab, or for its prompt; `window` none: for a tab.
  [[nodiscard]] bool called(std::optional<WindowId> window) const { return calls_->contains(window); }

  /// Keeps the order of calls that have to look for their tab before they can join its queue: until lock_by
  /// has it, later ones wait.
  [[nodiscard]] Awaitable<AsyncMutex::Turn> arrive(WindowId window, Clock::time_point give_up_at) {
    return arriving_.lock_by(window, give_up_at);
  }
  /// Waits until `give_up_at` at most. Ends with a guard when the tab is gone, and where another process has
  /// the turn and nothing has happened at the tab's prompt for 2 s.
  [[nodiscard]] Awaitable<Turn> lock_by(std::shared_ptr<Tab> tab, AsyncMutex::Guard arrived,
                                        Clock::time_point give_up_at);
  /// None: somebody has it, or waits for it.
  [[nodiscard]] Awaitable<Guard> try_lock(std::shared_ptr<Tab> tab);

  /// Whether a call of this process has it.
  [[nodiscard]] bool taken(WindowId window) const { return turns_.locked(window); }
  /// Whether a call of another process has it, or waits for it.
  [[nodiscard]] bool taken_elsewhere(const Tab& tab) const;

 private:
  [[nodiscard]] TabQueue& queue_of(const Tab& tab);
  [[nodiscard]] Awaitable<std::optional<TabQueue::Place>> join(std::shared_ptr<Tab> tab,
                                                               Clock::time_point give_up_at);
  [[nodiscard]] Awaitable<bool> come_first(std::shared_ptr<Tab> tab, const TabQueue::Place& place,
                                           Clock::time_point give_up_at) const;

  LogWatch& watch_;
  KeyedMutex<WindowId> arriving_;
  KeyedMutex<WindowId> turns_;
  std::map<std::filesystem::path, TabQueue> queues_;
  std::shared_ptr<Calls> calls_ = std::make_shared<Calls>();
};

}  // namespace terminally
