// Compares the clocks of processes to see whether any of them has run.
#include "system/stillness.hpp"

#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>

#include "system/proc.hpp"

namespace terminally {
namespace {

constexpr std::size_t kMostCompared = 16;

/// Whether the kernel counts each nanosecond, as Linux does where it keeps statistics. gVisor counts ticks.
bool counts_exactly() {
  static const bool exactly = ::access("/proc/self/schedstat", R_OK) == 0;
  return exactly;
}

/// None: the process is gone.
std::optional<clockid_t> clock_of(int pid) {
  clockid_t clock{};
  return ::clock_getcpuclockid(pid, &clock) == 0 ? std::optional(clock) : std::nullopt;
}

/// With all of its threads. None: the process is gone.
std::optional<std::chrono::nanoseconds> run_time(clockid_t clock) {
  timespec time{};
  return ::clock_gettime(clock, &time) == 0
             ? std::optional(std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec))
             : std::nullopt;
}

}  // namespace

bool Stillness::lasts(int pane_pid) {
  const bool still =
      !seen_.empty() && Clock::now() - looked_ < kLongest &&
      std::ranges::all_of(
          seen_, [](const Seen& process) { return run_time(process.clock) == process.run_time; });
  if (!still) {
    look(pane_pid);
  }
  return still;
}

bool Stillness::one_is_ready() const {
  return std::ranges::any_of(seen_, [](const Seen& process) { return is_ready(process.pid); });
}

/// Reads the run time of each process before its children: starting one in between changes that time.
void Stillness::look(int pane_pid) {
  looked_ = Clock::now();
  seen_.clear();
  if (!counts_exactly()) {
    return;
  }
  std::vector<int> pids = {first_child(pane_pid).value_or(0)};
  for (std::size_t i = 0; i < pids.size(); ++i) {
    const auto clock = pids[i] > 0 ? clock_of(pids[i]) : std::nullopt;
    const auto time = clock ? run_time(*clock) : std::nullopt;
    if (!time || i == kMostCompared) {
      seen_.clear();
      return;
    }
    seen_.push_back({pids[i], *clock, *time});
    std::ranges::copy(child_processes(pids[i]), std::back_inserter(pids));
  }
}

}  // namespace terminally
