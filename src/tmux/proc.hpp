#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace terminally {

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
};

[[nodiscard]] std::optional<ProcessInfo> process_info(int pid);
[[nodiscard]] std::vector<ProcessInfo> all_processes();

[[nodiscard]] std::vector<int> child_processes(int pid);
/// Its first child that is no zombie, or nullopt.
[[nodiscard]] std::optional<int> first_child(int pid);

[[nodiscard]] std::vector<std::string> process_arguments(int pid);
[[nodiscard]] std::string process_cwd(int pid);   ///< empty when it cannot be read, or is deleted
[[nodiscard]] std::string process_root(int pid);  ///< empty when it cannot be read
[[nodiscard]] int process_uid(int pid);           ///< -1 when it is gone
/// Where in the kernel it sleeps, "0" when it runs.
[[nodiscard]] std::string process_wchan(int pid);
/// Whether its environment, as it was when it was started, has this "NAME=value".
[[nodiscard]] bool process_has_environment(int pid, std::string_view assignment);

/// The processes, zombies left out, whose environment has it.
[[nodiscard]] std::vector<ProcessInfo> processes_with_environment(std::string_view assignment);

/// The command line for people: arguments joined by blanks, at most 200 bytes, control characters replaced.
[[nodiscard]] std::string describe_process(int pid);

/// Now, in the unit of start_ticks.
[[nodiscard]] std::uint64_t ticks_since_boot();

/// Not gone, and no zombie. What cannot be read for a moment (no descriptor left) is not gone.
[[nodiscard]] bool is_alive(int pid);

}  // namespace terminally
