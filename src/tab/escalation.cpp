#include "tab/escalation.hpp"

#include <algorithm>

namespace terminally {
namespace {

constexpr Milliseconds kPauseCountsFor{250};

}  // namespace

void Escalation::look(Clock::time_point now) {
  elapsed_ += std::clamp<Clock::duration>(now - looked_, Clock::duration::zero(), kPauseCountsFor);
  looked_ = std::max(looked_, now);
}

void Escalation::force() {
  if (pressure() != Pressure::kill) {
    elapsed_ = {};
  }
  force_ = true;
}

Pressure Escalation::pressure() const {
  if (force_ || elapsed_ >= plan_.kill_after) {
    return Pressure::kill;
  }
  return elapsed_ >= plan_.terminate_after ? Pressure::terminate : Pressure::ask;
}

bool Escalation::is_due(int target) {
  const Pressure now = pressure();
  const auto [known, first] = pressed_.try_emplace(target, now);
  const bool harder = !first && known->second < now;
  known->second = now;
  return first || harder || now == Pressure::kill;
}

}  // namespace terminally
