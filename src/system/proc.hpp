#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace terminally {

/// A process for good: its pid may be another's later, together with its start it never is.
struct ProcessId {
  int pid = 0;
  std::uint64_t start_ticks = 0;  ///< since boot
  [[nodiscard]] friend bool operator==(const ProcessId&, const ProcessId&) = default;
};

/// What /proc/PID/stat says. Read afresh at each call: a few microseconds, no cache, no state.
struct ProcessInfo {
  int pid = 0;
  std::string name;  ///< the kernel's, at most 15 bytes
  char state = '?';  ///< R, S, D, T, Z …
  int parent = 0;
  int group = 0;
  int session = 0;
  int foreground_group = -1;      ///< of its terminal; -1 without one
  std::uint64_t start_ticks = 0;  ///< since boot

  [[nodiscard]] ProcessId id() const { return {pid, start_ticks}; }
};

[[nodiscard]] std::optional<ProcessInfo> process_info(int pid);
/// Nothing when the pid is another's by now.
[[nodiscard]] std::optional<ProcessInfo> process_info(ProcessId process);
[[nodiscard]] std::vector<int> all_pids();
[[nodiscard]] std::vector<ProcessInfo> all_processes();

/// Why /proc says nothing of the processes that this one sees, in a sentence that says what to do; empty: it
/// does.
[[nodiscard]] std::string trouble_with_proc();
/// Throws Error(io) with it.
void refuse_without_proc();

[[nodiscard]] std::vector<int> child_processes(int pid);
/// Its first child that is no zombie, or nullopt.
[[nodiscard]] std::optional<int> first_child(int pid);
/// The process itself and what descends from it, zombies too; those nearest to it first, at most so many.
[[nodiscard]] std::vector<ProcessInfo> process_tree(int pid, std::size_t most);

/// Tells the program that a process runs from the one it ran before: each exec gives another number, also of
/// the same program (where its stack is, which the kernel chooses anew). 0: it is gone.
[[nodiscard]] std::uint64_t process_image(int pid);
/// Whether a process that had this image runs something else by now. 0: nobody knows.
[[nodiscard]] bool is_replaced(int pid, std::uint64_t image);

[[nodiscard]] std::vector<std::string> process_arguments(int pid);
/// Empty when it cannot be read; of one that was removed, what it was, and " (deleted)".
[[nodiscard]] std::string process_cwd(int pid);
/// As process_cwd, but only where that path leads to this very directory: another process can go there.
[[nodiscard]] std::string process_directory(int pid);
[[nodiscard]] std::string process_root(int pid);  ///< empty when it cannot be read
/// The signals that a process ignores and those that it catches, bit N - 1 for signal N; 0 when it is gone.
struct SignalMasks {
  std::uint64_t ignored = 0;
  std::uint64_t caught = 0;
};
[[nodiscard]] SignalMasks signal_masks(int pid);
[[nodiscard]] int process_uid(int pid);  ///< -1 when it is gone
/// Where in the kernel it sleeps, "0" when it runs.
[[nodiscard]] std::string process_wchan(int pid);
/// How long and how often it has run, in words of the kernel that differ whenever it has run in between.
/// Empty when it is gone, has several threads, or the kernel does not tell.
[[nodiscard]] std::string process_run_time(int pid);
/// What it was started with, as NAME=VALUE; nothing when it cannot be read.
[[nodiscard]] std::vector<std::string> process_environment(int pid);
/// Whether its environment, as it was when it was started, has this "NAME=value".
[[nodiscard]] bool process_has_environment(int pid, std::string_view assignment);

/// The command line for people: arguments joined by blanks, at most 200 bytes, control characters replaced.
[[nodiscard]] std::string describe_process(int pid);

/// Now, in the unit of start_ticks.
[[nodiscard]] std::uint64_t ticks_since_boot();

/// Not gone, and no zombie. What cannot be read for a moment (no descriptor left) is not gone.
[[nodiscard]] bool is_alive(int pid);
[[nodiscard]] bool is_alive(ProcessId process);
/// By SIGSTOP or its like, or by a debugger.
[[nodiscard]] bool is_stopped(int pid);
/// The system's reason (errno) why process_info cannot be had; 0: it can.
[[nodiscard]] int why_unseen(int pid);

/// The process that holds a file's lock (FileLock), 0: none. Asked of the kernel, because a try of the lock
/// would look like an owner to whoever tries it just then.
[[nodiscard]] int lock_holder(const std::filesystem::path& path);

}  // namespace terminally
