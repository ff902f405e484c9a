// Compares the run times of processes (/proc/PID/schedstat) to see whether any of them has run.
#include "system/stillness.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>

#include "system/proc.hpp"

namespace terminally {
namespace {

constexpr std::size_t kMostCompared = 16;
/// Files are kept open only in the first fourth of all descriptors.
constexpr rlim_t kParts = 4;

/// None: descriptors are few, or the process is gone.
UniqueFd keep_run_time_open(int pid) {
  rlimit limit{};
  UniqueFd file(::open(("/proc/" + std::to_string(pid) + "/schedstat").c_str(), O_RDONLY | O_CLOEXEC));
  const bool plenty = ::getrlimit(RLIMIT_NOFILE, &limit) == 0 && file &&
                      static_cast<rlim_t>(file.get()) < limit.rlim_cur / kParts;
  return plenty ? std::move(file) : UniqueFd();
}

}  // namespace

bool Stillness::lasts(int pane_pid) {
  const bool still =
      !seen_.empty() && Clock::now() - looked_ < kLongest &&
      std::ranges::all_of(
          seen_, [](const Seen& process) { return run_time_now(process) == process.run_time; });
  if (!still) {
    look(pane_pid);
  }
  return still;
}

bool Stillness::one_is_ready() const {
  return std::ranges::any_of(seen_, [](const Seen& process) { return is_ready(process.pid); });
}

/// A process that has started a thread has run, so its threads need not be counted again.
std::string Stillness::run_time_now(const Seen& process) {
  if (!process.times) {
    return process_run_time(process.pid);
  }
  char text[64];
  const ssize_t bytes = ::pread(process.times.get(), text, sizeof text, 0);
  return {text, static_cast<std::size_t>(std::max<ssize_t>(bytes, 0))};  // none: it has ended
}

/// Reads the run time of each process before its children: starting one in between changes that time.
void Stillness::look(int pane_pid) {
  looked_ = Clock::now();
  seen_.clear();
  seen_.push_back({first_child(pane_pid).value_or(0), {}, {}});
  for (std::size_t i = 0; i < seen_.size(); ++i) {
    seen_[i].run_time = process_run_time(seen_[i].pid);
    if (seen_[i].run_time.empty() || seen_.size() > kMostCompared) {
      seen_.clear();
      return;
    }
    for (const int child : child_processes(seen_[i].pid)) {
      seen_.push_back({child, {}, {}});
    }
  }
  for (Seen& process : seen_) {
    process.times = keep_run_time_open(process.pid);
  }
}

}  // namespace terminally
