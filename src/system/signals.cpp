// Sends signals to identified processes, and keeps the tags of processes in the limit of file locks.
#include "system/signals.hpp"

#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <string>

#include "base/descriptors.hpp"
#include "base/files.hpp"
#include "system/taken_terminal.hpp"

namespace terminally {
namespace {

bool waits_while_stopped(int signal) {
  return signal != SIGKILL && signal != SIGCONT && signal != SIGUSR1;
}

/// Where /proc shows the processes of another namespace, its pids are those of strangers.
bool numbers_are_ours() {
  static const bool ours = trouble_with_proc().empty();
  return ours;
}

bool may_be_signalled(int number) {
  return numbers_are_ours() && number > 1 && number != ::getpid() && number != ::getpgrp();
}

bool has_taken_terminal(const ProcessInfo& pane, int group) {
  const auto taken = taken_terminal(pane, first_child(pane.pid).value_or(0));
  return taken && taken->holder.group == group;
}

int open_pidfd(int pid) {
  return static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
}

}  // namespace

bool signal_process(ProcessId process, int signal) {
  if (!may_be_signalled(process.pid)) {
    return false;
  }
  UniqueFd fd(open_pidfd(process.pid));
  if (!fd && gave_up_descriptor(errno)) {
    fd.reset(open_pidfd(process.pid));
  }
  // The descriptor stays with its process: now check that this is the identified process.
  if (!fd || !process_info(process)) {
    return false;
  }
  const auto send = [&fd](int number) {
    return ::syscall(SYS_pidfd_send_signal, fd.get(), number, nullptr, 0) == 0;
  };
  const bool sent = send(signal);
  return waits_while_stopped(signal) ? send(SIGCONT) && sent : sent;
}

bool signal_foreground(ProcessId pane, int group, int signal, std::optional<ProcessId> waiting) {
  const auto terminal = process_info(pane);
  // tmux makes a session for each pane; the terminal's foreground group belongs to that session.
  const bool of_the_tab = terminal && terminal->session == pane.pid && terminal->foreground_group == group;
  const bool took_it = terminal && !of_the_tab && has_taken_terminal(*terminal, group);
  if ((!of_the_tab && !took_it) || group == terminal->group || !may_be_signalled(group)) {
    return false;
  }
  if (waiting) {
    signal_process(*waiting, SIGINT);
  }
  const bool sent = ::kill(-group, signal) == 0;
  return waits_while_stopped(signal) ? ::kill(-group, SIGCONT) == 0 && sent : sent;
}

bool tag_process(int pid, ProcessTag tag) {
  rlimit64 limit{};
  if (pid <= 1 || ::prlimit64(pid, RLIMIT_LOCKS, nullptr, &limit) != 0 || limit.rlim_max < tag.value) {
    return false;
  }
  limit.rlim_cur = tag.value;
  return ::prlimit64(pid, RLIMIT_LOCKS, &limit, nullptr) == 0;
}

std::optional<ProcessTag> process_tag(int pid) {
  rlimit64 limit{};
  if (pid > 1 && ::prlimit64(pid, RLIMIT_LOCKS, nullptr, &limit) == 0) {
    return limit.rlim_cur == RLIM64_INFINITY ? std::nullopt : std::optional(ProcessTag{limit.rlim_cur});
  }
  // Everybody may read the limits of another user's process (sudo).
  const std::string limits = read_file("/proc/" + std::to_string(pid) + "/limits").value_or("");
  constexpr std::string_view kName = "Max file locks";
  const std::size_t line = limits.find(kName);
  const std::size_t at =
      line == std::string::npos ? line : limits.find_first_not_of(' ', line + kName.size());
  ProcessTag tag;
  if (at == std::string::npos ||
      std::from_chars(limits.data() + at, limits.data() + limits.size(), tag.value).ec != std::errc()) {
    return std::nullopt;
  }
  return tag;
}

/// Sets the soft limit as high as the hard limit allows.
Untagged::Untagged() : before_(process_tag(::getpid())) {
  rlimit64 limit{};
  if (before_ && ::prlimit64(0, RLIMIT_LOCKS, nullptr, &limit) == 0) {
    limit.rlim_cur = limit.rlim_max;
    ::prlimit64(0, RLIMIT_LOCKS, &limit, nullptr);
  }
}

Untagged::~Untagged() {
  if (before_) {
    tag_process(::getpid(), *before_);
  }
}

}  // namespace terminally
