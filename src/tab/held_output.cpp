// Finds the program at the end of a pipeline, which holds back what the others print.
#include "tab/held_output.hpp"

#include <algorithm>
#include <filesystem>
#include <vector>

#include "system/foreground.hpp"
#include "system/proc.hpp"

namespace terminally {
namespace {

constexpr std::size_t kMostProcesses = 1'000;

/// What a descriptor of a process leads to; empty where that may not be read.
std::string target_of(const ProcessInfo& process, int descriptor) {
  std::error_code ignored;
  return std::filesystem::read_symlink(
             "/proc/" + std::to_string(process.pid) + "/fd/" + std::to_string(descriptor), ignored)
      .string();
}

}  // namespace

std::string why_nothing_is_printed(const Tab& tab) {
  const Foreground foreground = look_at_foreground(tab.pane_pid);
  std::vector<ProcessInfo> job = process_tree(foreground.shell_pid, kMostProcesses);
  std::erase_if(job, [&](const ProcessInfo& process) { return process.group != foreground.group; });
  for (const ProcessInfo& last : job) {
    const std::string from = target_of(last, 0);
    const auto writes_to_it = [&](const ProcessInfo& process) {
      const std::string to = target_of(process, 1);
      return from.starts_with("socket:") ? to.starts_with("socket:")
                                         : to == from;  // ksh93 makes two of a pair
    };
    if ((from.starts_with("pipe:") || from.starts_with("socket:")) && target_of(last, 1) == tab.tty &&
        std::ranges::any_of(job, writes_to_it)) {
      return "nothing is printed yet: what it prints goes into `" + describe_process(last.pid) +
             "`, which passes nothing on so far";
    }
  }
  return "";
}

}  // namespace terminally
