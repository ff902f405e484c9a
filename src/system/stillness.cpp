#include "system/stillness.hpp"

#include <algorithm>
#include <cstddef>

#include "system/proc.hpp"

namespace terminally {
namespace {

constexpr std::size_t kMostCompared = 16;

}  // namespace

bool Stillness::lasts(int pane_pid) {
  const bool still =
      !seen_.empty() && Clock::now() - looked_ < kLongest &&
      std::ranges::all_of(
          seen_, [](const Seen& process) { return process_run_time(process.pid) == process.run_time; });
  if (!still) {
    look(pane_pid);
  }
  return still;
}

/// Of each its time first, then its children: one that it starts in between has made it run.
void Stillness::look(int pane_pid) {
  looked_ = Clock::now();
  seen_.assign(1, {first_child(pane_pid).value_or(0), {}});
  for (std::size_t i = 0; i < seen_.size(); ++i) {
    seen_[i].run_time = process_run_time(seen_[i].pid);
    if (seen_[i].run_time.empty() || seen_.size() > kMostCompared) {
      seen_.clear();
      return;
    }
    for (const int child : child_processes(seen_[i].pid)) {
      seen_.push_back({child, {}});
    }
  }
}

}  // namespace terminally
