#pragma once

#include <map>

#include "base/timeout.hpp"

namespace terminally {

/// How hard something is pressed to end.
enum class Pressure {
  ask,        ///< as a person would: C-c, or a hang-up
  terminate,  ///< SIGTERM
  kill,       ///< SIGKILL
};

/// From its beginning on.
struct EscalationPlan {
  Milliseconds terminate_after;
  Milliseconds kill_after;
};

/// A command that is cancelled, or whose time is over; what a person started, when it is cancelled.
inline constexpr EscalationPlan kEndCommand{Milliseconds(500), Milliseconds(5'000)};
/// Everything in a tab that is closed.
inline constexpr EscalationPlan kEndTab{Milliseconds(700), Milliseconds(1'400)};
/// Everything in the tabs of an instance that ends: tmux has hung up on it.
inline constexpr EscalationPlan kEndInstance{Milliseconds(50), Milliseconds(50)};

/// The one way from a request to force. Pure: it says what is due; who has it sends the signals.
class Escalation {
 public:
  /// `force`: SIGKILL at once.
  Escalation(EscalationPlan plan, bool force, Clock::time_point begin)
      : plan_(plan), force_(force), looked_(begin) {}

  /// To be called every 250 ms or sooner: of a longer pause no more is counted, so that a machine that stood
  /// still takes no patience from what is to end.
  void look(Clock::time_point now);
  /// SIGKILL from now on. Where it was not due yet, the time counts anew: who comes back from it may take as
  /// long as where it came at once.
  void force();

  [[nodiscard]] Pressure pressure() const;
  [[nodiscard]] bool is_forced() const { return force_; }
  /// Since the beginning, or since it was forced, without the time that the machine stood still.
  [[nodiscard]] Milliseconds elapsed() const { return std::chrono::duration_cast<Milliseconds>(elapsed_); }

  /// Whether this process, or group, is to be pressed now: once with each pressure, with SIGKILL each time.
  [[nodiscard]] bool is_due(int target);
  /// How many were.
  [[nodiscard]] std::size_t pressed() const { return pressed_.size(); }

 private:
  EscalationPlan plan_;
  bool force_;
  Clock::time_point looked_;
  Clock::duration elapsed_{};
  std::map<int, Pressure> pressed_;
};

}  // namespace terminally
