// Finds who has a tab's terminal when the tab's own session has lost it.
#include "system/taken_terminal.hpp"

#include <sys/stat.h>

#include <string>
#include <utility>

#include "base/files.hpp"
#include "system/terminal.hpp"

namespace terminally {

std::optional<TakenTerminal> taken_terminal(const ProcessInfo& pane, int shell_pid) {
  auto shell = pane.terminal == 0 ? process_info(shell_pid) : std::nullopt;
  if (!shell) {
    return std::nullopt;
  }
  struct stat input{};
  const std::string tab =
      tab_cookie_in(read_file("/proc/" + std::to_string(shell_pid) + "/environ").value_or(""));
  if (tab.empty() || ::stat(("/proc/" + std::to_string(pane.pid) + "/fd/0").c_str(), &input) != 0) {
    return std::nullopt;
  }
  bool is_free = true;
  for (ProcessInfo& process : all_processes()) {
    if (process.terminal != input.st_rdev || process.state == 'Z' ||
        has_namesake_open(process.pid, input.st_rdev)) {
      continue;
    }
    is_free = false;
    if (process.group == process.foreground_group && process_has_environment(process.pid, tab)) {
      return TakenTerminal{std::move(process)};
    }
  }
  return is_free ? TakenTerminal{std::move(*shell)} : TakenTerminal{};
}

}  // namespace terminally
