// Finds the processes that listen on a TCP port, from /proc.
#include "system/listeners.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <set>

#include "base/files.hpp"

namespace terminally {
namespace {

using Inodes = std::vector<std::uint64_t>;

std::string_view take_field(std::string_view& line) {
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  const std::string_view field = line.substr(0, line.find(' '));
  line.remove_prefix(field.size());
  return field;
}

template <class Number>
bool read_number(std::string_view text, Number& number, int base) {
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  return error == std::errc() && rest == text.data() + text.size() && !text.empty();
}

Inodes sockets_on(std::uint16_t port) {
  Inodes inodes;
  for (const char* table : {"/proc/net/tcp", "/proc/net/tcp6"}) {
    const Inodes found = listening_sockets(read_file(table).value_or(""), port);
    inodes.insert(inodes.end(), found.begin(), found.end());
  }
  return inodes;
}

bool holds_one_of(int pid, const Inodes& inodes) {
  constexpr std::string_view kSocket = "socket:[";
  std::error_code error;
  for (std::filesystem::directory_iterator fd("/proc/" + std::to_string(pid) + "/fd", error), end;
       !error && fd != end; fd.increment(error)) {
    std::error_code gone;
    const std::string target = std::filesystem::read_symlink(fd->path(), gone).string();
    std::uint64_t inode = 0;
    if (target.starts_with(kSocket) && target.ends_with("]") &&
        read_number(std::string_view(target).substr(kSocket.size(), target.size() - kSocket.size() - 1),
                    inode, 10) &&
        std::find(inodes.begin(), inodes.end(), inode) != inodes.end()) {
      return true;
    }
  }
  return false;
}

std::vector<ProcessInfo> processes_of(ProcessId pane, const std::string& cookie) {
  std::vector<ProcessInfo> processes = all_processes();
  std::set<int> family = {pane.pid};
  // A child may come before its parent in the list: repeat until no process is added any more.
  for (std::size_t known = 0; known != family.size();) {
    known = family.size();
    for (const ProcessInfo& process : processes) {
      if (family.count(process.parent) != 0) {
        family.insert(process.pid);
      }
    }
  }
  std::erase_if(processes, [&](const ProcessInfo& process) {
    return process.state == 'Z' ||
           (family.count(process.pid) == 0 && !process_has_environment(process.pid, cookie));
  });
  return processes;
}

/// The oldest process that listens, and not the workers with which it shares the socket.
std::optional<std::string> listener_among(std::vector<ProcessInfo> processes, const Inodes& inodes) {
  std::sort(processes.begin(), processes.end(), [](const ProcessInfo& a, const ProcessInfo& b) {
    return a.start_ticks != b.start_ticks ? a.start_ticks < b.start_ticks : a.pid < b.pid;
  });
  for (const ProcessInfo& process : processes) {
    if (holds_one_of(process.pid, inodes)) {
      return std::to_string(process.pid) + " " + process.name;
    }
  }
  return std::nullopt;
}

}  // namespace

std::vector<std::uint64_t> listening_sockets(std::string_view table, std::uint16_t port) {
  constexpr std::string_view kListen = "0A";
  Inodes inodes;
  while (!table.empty()) {
    std::string_view line = table.substr(0, table.find('\n'));
    table.remove_prefix(std::min(line.size() + 1, table.size()));
    take_field(line);  // the number of the line
    const std::string_view local = take_field(line);
    take_field(line);  // remote
    const std::string_view state = take_field(line);
    std::uint16_t number = 0;
    std::uint64_t inode = 0;
    if (state != kListen || !read_number(local.substr(local.find(':') + 1), number, 16) || number != port) {
      continue;
    }
    for (int field = 4; field < 9; ++field) {  // queues, timer, retransmits, uid, timeout
      take_field(line);
    }
    if (read_number(take_field(line), inode, 10) && inode != 0) {
      inodes.push_back(inode);
    }
  }
  return inodes;
}

PortLook look_at_port(ProcessId pane, const std::string& cookie, std::uint16_t port) {
  PortLook look;
  if (const Inodes inodes = sockets_on(port); !inodes.empty()) {
    look.anybody = true;
    look.ours = listener_among(processes_of(pane, cookie), inodes);
  }
  return look;
}

std::string listener_anywhere(std::uint16_t port) {
  return listener_among(all_processes(), sockets_on(port)).value_or("a process that is not ours to see");
}

}  // namespace terminally
