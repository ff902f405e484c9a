#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace terminally {

/// Identifies a process for good: a pid may be reused, a pid with its start time never is.
struct ProcessId {
  int pid = 0;
  std::uint64_t start_ticks = 0;  ///< since boot
  [[nodiscard]] friend bool operator==(const ProcessId&, const ProcessId&) = default;
};

/// The facts of /proc/PID/stat. Each call reads them afresh: a few microseconds, no cache, no state.
struct ProcessInfo {
  int pid = 0;
  std::string name;  ///< the kernel's, at most 15 bytes
  char state = '?';  ///< R, S, D, T, Z …
  int parent = 0;
  int group = 0;
  int session = 0;
  dev_t terminal = 0;             ///< 0: without one
  int foreground_group = -1;      ///< of its terminal; -1 without one
  bool ends = false;              ///< its first thread is on its way out, or a zombie
  std::uint64_t start_ticks = 0;  ///< since boot

  [[nodiscard]] ProcessId id() const { return {pid, start_ticks}; }
};

[[nodiscard]] std::optional<ProcessInfo> process_info(int pid);
/// Nothing when another process has the pid by now.
[[nodiscard]] std::optional<ProcessInfo> process_info(ProcessId process);
/// Whether it runs, or has something to do and waits for a processor.
[[nodiscard]] bool is_ready(int pid);
[[nodiscard]] std::vector<int> all_pids();
[[nodiscard]] std::vector<ProcessInfo> all_processes();

/// Why /proc does not show the processes of our PID namespace, and what to do; empty when it does.
[[nodiscard]] std::string trouble_with_proc();
/// Throws Error(io) with the text of trouble_with_proc, if there is any.
void refuse_without_proc();

[[nodiscard]] std::vector<int> child_processes(int pid);
/// The first child that is no zombie, or nullopt.
[[nodiscard]] std::optional<int> first_child(int pid);
/// A number that grows with each child that a process has waited for; 0: the process is gone.
[[nodiscard]] std::uint64_t waited_children(int pid);
/// The process and its descendants, zombies included; the nearest first, at most `most`.
[[nodiscard]] std::vector<ProcessInfo> process_tree(int pid, std::size_t most);

/// A number for the program that a process runs: each exec gives another number, also for the same program
/// (the kernel chooses a new place for the stack). 0: the process is gone.
[[nodiscard]] std::uint64_t process_image(int pid);
/// Whether a process that had this image runs another program by now. False where that is not known.
[[nodiscard]] bool is_replaced(int pid, std::uint64_t image);

[[nodiscard]] std::vector<std::string> process_arguments(int pid);
/// Empty when it cannot be read; a removed directory's path is followed by " (deleted)".
[[nodiscard]] std::string process_cwd(int pid);
/// As process_cwd, but empty unless that path leads to this directory, so that other processes can use it.
[[nodiscard]] std::string process_directory(int pid);
/// What a descriptor leads to, e.g. "/dev/pts/3" or "pipe:[4711]"; empty when it cannot be read.
[[nodiscard]] std::string process_descriptor(int pid, int descriptor);
[[nodiscard]] std::string process_root(int pid);  ///< empty when it cannot be read
/// The signals that a process ignores and catches, bit N - 1 for signal N; 0 when the process is gone.
struct SignalMasks {
  std::uint64_t ignored = 0;
  std::uint64_t caught = 0;
};
[[nodiscard]] SignalMasks signal_masks(int pid);
[[nodiscard]] bool is_in(std::uint64_t signals, int signal);
/// Why the process does not end with its terminal, for people; empty: it does. A program may have set SIGHUP
/// back that nohup had it ignore (node does): nohup has left it an input that cannot be read.
[[nodiscard]] std::string_view outlives_hangup(int pid);

[[nodiscard]] int process_uid(int pid);  ///< -1 when it is gone
/// The kernel function that the process sleeps in; "0" when it runs.
[[nodiscard]] std::string process_wchan(int pid);
/// The environment at the start of the process, as NAME=VALUE; nothing when it cannot be read.
[[nodiscard]] std::vector<std::string> process_environment(int pid);
/// "TERMINALLY_TAB=…" among the variables of an environment, as /proc has it; empty: there is none.
[[nodiscard]] std::string tab_cookie_in(std::string_view environment);
/// Whether the environment at the start of the process has this "NAME=value".
[[nodiscard]] bool process_has_environment(int pid, std::string_view assignment);

/// The command line for people: arguments with blanks between, cut to 200 bytes and kCutMark, without
/// controls.
[[nodiscard]] std::string describe_process(int pid);

/// The time since boot in the unit of start_ticks.
[[nodiscard]] std::uint64_t ticks_since_boot();

/// Whether a process is there and no zombie. An unreadable one (no descriptor left) counts as alive.
[[nodiscard]] bool is_alive(int pid);
[[nodiscard]] bool is_alive(ProcessId process);
/// Whether a process has begun to end: it is a zombie, or is being killed. It runs no instruction of its own
/// any more, but while a file system that hangs holds one of its threads, its descriptors and locks are
/// there.
[[nodiscard]] bool is_exiting(int pid);
/// Whether a signal such as SIGSTOP, or a debugger, has stopped the process.
[[nodiscard]] bool is_stopped(int pid);
/// Why process_info cannot read the process (errno); 0: it can.
[[nodiscard]] int why_unseen(int pid);

/// The process that holds a file's lock (FileLock), 0: none. Read from /proc/locks: to try the lock would
/// make us look like its owner to others for a moment.
[[nodiscard]] int lock_holder(const std::filesystem::path& path);

}  // namespace terminally
