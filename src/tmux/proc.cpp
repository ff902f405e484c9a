#include "tmux/proc.hpp"

#include <signal.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <iterator>
#include <sstream>

#include "base/files.hpp"
#include "base/utf8.hpp"

namespace terminally {
namespace {

std::string proc_path(int pid, const char* file) {
  return "/proc/" + std::to_string(pid) + "/" + file;
}

std::string read_link(const std::string& path) {
  std::error_code error;
  const auto target = std::filesystem::read_symlink(path, error);
  return error ? std::string() : target.string();
}

}  // namespace

std::optional<ProcessInfo> process_info(int pid) {
  const auto stat = read_file(proc_path(pid, "stat"));
  // The name stands in parentheses and may itself hold any of them: the last one closes it.
  const std::size_t open = stat ? stat->find('(') : std::string::npos;
  const std::size_t close = stat ? stat->rfind(')') : std::string::npos;
  if (open == std::string::npos || close == std::string::npos) {
    return std::nullopt;
  }
  ProcessInfo info;
  info.pid = pid;
  info.name = stat->substr(open + 1, close - open - 1);
  std::istringstream rest(stat->substr(close + 1));
  int terminal = 0;
  rest >> info.state >> info.parent >> info.group >> info.session >> terminal >> info.foreground_group;
  std::string skipped;
  for (int field = 9; field < 22; ++field) {
    rest >> skipped;
  }
  rest >> info.start_ticks;
  return rest ? std::optional(info) : std::nullopt;
}

std::vector<ProcessInfo> all_processes() {
  std::vector<ProcessInfo> processes;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
    const std::string name = entry.path().filename().string();
    int pid = 0;
    const auto [rest, failed] = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (failed != std::errc() || rest != name.data() + name.size()) {
      continue;
    }
    if (auto info = process_info(pid)) {
      processes.push_back(std::move(*info));
    }
  }
  return processes;
}

std::vector<int> child_processes(int pid) {
  std::vector<int> children;
  std::error_code error;  // a child belongs to the thread that started it
  for (std::filesystem::directory_iterator task(proc_path(pid, "task"), error), end; !error && task != end;
       task.increment(error)) {
    std::istringstream list(read_file(task->path() / "children").value_or(""));
    children.insert(children.end(), std::istream_iterator<int>(list), std::istream_iterator<int>());
  }
  return children;
}

std::optional<int> first_child(int pid) {
  for (const int child : child_processes(pid)) {
    const auto info = process_info(child);
    if (info && info->state != 'Z') {
      return child;
    }
  }
  return std::nullopt;
}

std::vector<std::string> process_arguments(int pid) {
  std::vector<std::string> arguments;
  std::string current;
  for (const char c : read_file(proc_path(pid, "cmdline")).value_or("")) {
    if (c == '\0') {
      arguments.push_back(std::move(current));
      current.clear();
    } else {
      current += c;
    }
  }
  return arguments;
}

std::string process_cwd(int pid) {
  std::string cwd = read_link(proc_path(pid, "cwd"));
  return cwd.ends_with(" (deleted)") ? std::string() : cwd;
}

std::string process_root(int pid) {
  return read_link(proc_path(pid, "root"));
}

int process_uid(int pid) {
  struct stat info{};
  return ::stat(("/proc/" + std::to_string(pid)).c_str(), &info) == 0 ? static_cast<int>(info.st_uid) : -1;
}

std::string process_wchan(int pid) {
  return read_file(proc_path(pid, "wchan")).value_or("");
}

bool process_has_environment(int pid, std::string_view assignment) {
  const auto environment = read_file(proc_path(pid, "environ"));
  if (!environment) {
    return false;
  }
  std::string needle(assignment);
  needle += '\0';
  const std::size_t at = environment->find(needle);
  return at != std::string::npos && (at == 0 || (*environment)[at - 1] == '\0');
}

std::vector<ProcessInfo> processes_with_environment(std::string_view assignment) {
  std::vector<ProcessInfo> processes = all_processes();
  std::erase_if(processes, [assignment](const ProcessInfo& process) {
    return process.state == 'Z' || !process_has_environment(process.pid, assignment);
  });
  return processes;
}

std::string describe_process(int pid) {
  std::string text;
  for (const std::string& argument : process_arguments(pid)) {
    text += (text.empty() ? "" : " ") + argument;
  }
  if (text.empty()) {
    const auto info = process_info(pid);
    text = info ? "[" + info->name + "]" : "";
  }
  text.resize(whole_words(text, 200).size());
  std::replace_if(
      text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 32 || c == 127; }, ' ');
  return text;
}

bool is_alive(int pid) {
  const auto process = process_info(pid);
  return process ? process->state != 'Z' : pid > 0 && (::kill(pid, 0) == 0 || errno != ESRCH);
}

std::uint64_t ticks_since_boot() {
  timespec now{};
  ::clock_gettime(CLOCK_BOOTTIME, &now);
  const auto hertz = static_cast<std::uint64_t>(::sysconf(_SC_CLK_TCK));
  return static_cast<std::uint64_t>(now.tv_sec) * hertz +
         static_cast<std::uint64_t>(now.tv_nsec) * hertz / 1'000'000'000ULL;
}

}  // namespace terminally
