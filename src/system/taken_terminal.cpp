// Finds who has a tab's terminal when the tab's own session has lost it.
#include "system/taken_terminal.hpp"

#include <sys/stat.h>

#include <string>
#include <utility>

namespace terminally {
namespace {

/// The variable by which each process knows its tab; empty: it has none.
std::string tab_variable(int pid) {
  for (std::string& variable : process_environment(pid)) {
    if (variable.starts_with("TERMINALLY_TAB=")) {
      return std::move(variable);
    }
  }
  return {};
}

}  // namespace

std::optional<TakenTerminal> taken_terminal(const ProcessInfo& pane, int shell_pid) {
  auto shell = pane.terminal == 0 ? process_info(shell_pid) : std::nullopt;
  if (!shell) {
    return std::nullopt;
  }
  struct stat input{};
  const std::string tab = tab_variable(shell_pid);
  if (tab.empty() || ::stat(("/proc/" + std::to_string(pane.pid) + "/fd/0").c_str(), &input) != 0) {
    return std::nullopt;
  }
  bool is_free = true;
  for (ProcessInfo& process : all_processes()) {
    if (process.terminal != input.st_rdev || process.state == 'Z') {
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
