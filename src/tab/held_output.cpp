// Finds the program at the end of a pipeline, which holds back what the others print.
#include "tab/held_output.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "system/foreground.hpp"
#include "system/proc.hpp"

namespace terminally {
namespace {

constexpr std::size_t kMostProcesses = 1'000;

bool is_socket(const std::string& target) {
  return target.starts_with("socket:");
}

}  // namespace

std::string why_nothing_is_printed(const Tab& tab) {
  const Foreground foreground = look_at_foreground(tab.pane_pid);
  std::vector<ProcessInfo> job = process_tree(foreground.shell_pid, kMostProcesses);
  std::erase_if(job, [&](const ProcessInfo& process) { return process.group != foreground.group; });
  for (const ProcessInfo& last : job) {
    const std::string from = process_descriptor(last.pid, 0);
    const auto writes_to_it = [&](const ProcessInfo& process) {
      const std::string to = process_descriptor(process.pid, 1);
      return is_socket(from) ? is_socket(to) : to == from;  // ksh93 makes two of a pair
    };
    if ((from.starts_with("pipe:") || is_socket(from)) && process_descriptor(last.pid, 1) == tab.tty &&
        std::ranges::any_of(job, writes_to_it)) {
      return "nothing is printed yet: what it prints goes into `" + describe_process(last.pid) +
             "`, which passes nothing on so far";
    }
  }
  return "";
}

}  // namespace terminally
