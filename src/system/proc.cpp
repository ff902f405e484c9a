// Reads what /proc says of processes.
#include "system/proc.hpp"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <functional>
#include <sstream>

#include "base/descriptors.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "base/utf8.hpp"

namespace terminally {
namespace {

std::string proc_path(int pid, const char* file) {
  return "/proc/" + std::to_string(pid) + "/" + file;
}

/// Reads numbers and words with blanks between them.
class Numbers {
 public:
  explicit Numbers(std::string_view text) : text_(text) {}

  template <typename Number>
  Number next() {
    skip_blanks();
    Number number{};
    const auto [rest, error] = std::from_chars(text_.data(), text_.data() + text_.size(), number);
    failed_ = failed_ || error != std::errc();
    text_.remove_prefix(static_cast<std::size_t>(rest - text_.data()));
    return number;
  }
  std::string_view word() {
    skip_blanks();
    const std::string_view word = text_.substr(0, text_.find(' '));
    text_.remove_prefix(word.size());
    return word;
  }
  void skip(int fields) {
    for (int field = 0; field < fields; ++field) {
      word();
    }
  }
  [[nodiscard]] bool failed() const { return failed_; }
  [[nodiscard]] bool at_end_of_line() {
    skip_blanks();
    return text_.empty() || text_.front() == '\n';
  }

 private:
  void skip_blanks() { text_.remove_prefix(std::min(text_.find_first_not_of(" \t"), text_.size())); }

  std::string_view text_;
  bool failed_ = false;
};

std::string read_link(const std::string& path) {
  char target[PATH_MAX];
  const ssize_t bytes = ::readlink(path.c_str(), target, sizeof target);
  return {target, static_cast<std::size_t>(std::max<ssize_t>(bytes, 0))};
}

constexpr std::size_t kRecordBytes = 4096;

/// Reads a file of /proc that the kernel prints in one go; each command reads several of these.
std::string read_record(const std::string& path) {
  char buffer[kRecordBytes];
  const UniqueFd fd(open_or_use_spare(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  const ssize_t got = fd ? ::read(fd.get(), buffer, sizeof buffer) : 0;
  return {buffer, static_cast<std::size_t>(std::max<ssize_t>(got, 0))};
}

std::vector<std::string> split_at_nul(std::string_view text) {
  std::vector<std::string> parts;
  for (std::size_t end = 0; (end = text.find('\0')) != std::string_view::npos; text.remove_prefix(end + 1)) {
    parts.emplace_back(text.substr(0, end));
  }
  return parts;
}

/// A set of signals in /proc/PID/status.
std::uint64_t signal_mask(std::string_view status, std::string_view name) {
  const std::size_t at = status.find(name);
  std::uint64_t bits = 0;
  if (at != std::string_view::npos) {
    std::from_chars(status.data() + at + name.size(), status.data() + status.size(), bits, 16);
  }
  return bits;
}

/// PF_EXITING in the flags of /proc/PID/stat (linux/sched.h).
constexpr unsigned kExiting = 4;

/// The kernel prints it as its new_encode_dev.
dev_t terminal_of(int number) {
  const auto bits = static_cast<unsigned>(number);
  return makedev(bits >> 8 & 0xFFFU, (bits & 0xFFU) | (bits >> 12 & 0xFFF00U));
}

/// The directory of threads has two links, and one for each thread.
bool has_one_thread(const std::string& tasks) {
  struct stat info{};
  return ::stat(tasks.c_str(), &info) == 0 && info.st_nlink == 3;
}

}  // namespace

std::optional<ProcessInfo> process_info(int pid) {
  const std::string stat = read_record(proc_path(pid, "stat"));
  // The name stands in parentheses and may itself hold any of them: the last one closes it.
  const std::size_t open = stat.find('(');
  const std::size_t close = stat.rfind(')');
  if (open == std::string::npos || close == std::string::npos || close + 2 >= stat.size()) {
    return std::nullopt;
  }
  ProcessInfo info;
  info.pid = pid;
  info.name = stat.substr(open + 1, close - open - 1);
  info.state = stat[close + 2];
  Numbers rest(std::string_view(stat).substr(close + 3));
  info.parent = rest.next<int>();
  info.group = rest.next<int>();
  info.session = rest.next<int>();
  info.terminal = terminal_of(rest.next<int>());
  info.foreground_group = rest.next<int>();
  info.ends = (rest.next<unsigned>() & kExiting) != 0;
  rest.skip(12);
  info.start_ticks = rest.next<std::uint64_t>();
  return rest.failed() ? std::nullopt : std::optional(std::move(info));
}

std::optional<ProcessInfo> process_info(ProcessId process) {
  auto info = process_info(process.pid);
  return info && info->id() == process ? std::move(info) : std::nullopt;
}

bool is_ready(int pid) {
  const auto info = process_info(pid);
  return info && info->state == 'R';
}

std::vector<int> all_pids() {
  std::vector<int> pids;
  std::error_code error;
  for (auto entry = list_directory("/proc", error); !error && entry != std::filesystem::end(entry);
       entry.increment(error)) {
    const std::string& path = entry->path().native();
    const char* const first = path.data() + path.rfind('/') + 1;
    const char* const last = path.data() + path.size();
    int pid = 0;
    if (const auto [rest, failed] = std::from_chars(first, last, pid);
        failed == std::errc() && rest == last) {
      pids.push_back(pid);
    }
  }
  return pids;
}

std::vector<ProcessInfo> all_processes() {
  std::vector<ProcessInfo> processes;
  for (const int pid : all_pids()) {
    if (auto info = process_info(pid)) {
      processes.push_back(std::move(*info));
    }
  }
  return processes;
}

std::string trouble_with_proc() {
  const std::string self = read_link("/proc/self");
  if (self.empty()) {
    return "/proc is not mounted here, and without it no process can be seen; mount it (mount -t proc proc "
           "/proc)";
  }
  // In a PID namespace inside of the one that /proc shows, the last of several pids is our own.
  const std::string status = read_file("/proc/self/status").value_or("");
  const std::size_t line = status.find("\nNSpid:");
  Numbers pids(line == std::string::npos ? std::string_view(self)
                                         : std::string_view(status).substr(line + 7));
  const int seen = pids.next<int>();
  if (seen == ::getpid() && (line == std::string::npos || pids.at_end_of_line())) {
    return "";
  }
  return "/proc belongs to another PID namespace: it calls this process " + self + ", but its pid is " +
         std::to_string(::getpid()) +
         "; mount the /proc of this namespace (unshare --mount-proc, or mount -t proc proc /proc), else "
         "signals would go to strangers";
}

void refuse_without_proc() {
  static const std::string trouble = trouble_with_proc();
  if (!trouble.empty()) {
    throw Error(ErrorCode::io, trouble);
  }
}

std::vector<int> child_processes(int pid) {
  std::vector<int> children;
  const auto add_those_of = [&children](const std::string& task) {
    const auto list = read_file(task + "/children");
    Numbers numbers(list ? std::string_view(*list) : std::string_view());
    for (int child = numbers.next<int>(); child > 0 && !numbers.failed(); child = numbers.next<int>()) {
      children.push_back(child);
    }
  };
  // A child belongs to the thread that started it.
  const std::string tasks = proc_path(pid, "task");
  if (has_one_thread(tasks)) {
    add_those_of(tasks + "/" + std::to_string(pid));
    return children;
  }
  std::error_code error;
  for (auto task = list_directory(tasks, error); !error && task != std::filesystem::end(task);
       task.increment(error)) {
    add_those_of(task->path());
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

std::uint64_t waited_children(int pid) {
  const std::string stat = read_record(proc_path(pid, "stat"));
  const std::size_t close = stat.rfind(')');
  if (close == std::string::npos) {
    return 0;
  }
  Numbers fields(std::string_view(stat).substr(close + 1));
  fields.skip(8);
  const auto minor_faults = fields.next<std::uint64_t>();  // of such children: none is without
  fields.skip(1);
  return minor_faults + fields.next<std::uint64_t>();
}

std::vector<ProcessInfo> process_tree(int pid, std::size_t most) {
  std::vector<ProcessInfo> tree;
  if (auto root = process_info(pid)) {
    tree.push_back(std::move(*root));
  }
  for (std::size_t i = 0; i < tree.size() && tree.size() < most; ++i) {
    for (const int child : child_processes(tree[i].pid)) {
      auto info = tree.size() < most ? process_info(child) : std::nullopt;
      if (info) {
        tree.push_back(std::move(*info));
      }
    }
  }
  return tree;
}

std::uint64_t process_image(int pid) {
  const std::string stat = read_record(proc_path(pid, "stat"));
  const std::size_t close = stat.rfind(')');
  if (close == std::string::npos) {
    return 0;
  }
  constexpr int kStartCode = 26;  // numbered as in proc(5); 0 where we may not read it, as after exec of sudo
  constexpr int kStartStack = 28;
  Numbers fields(std::string_view(stat).substr(close + 1));
  std::string image = read_link(proc_path(pid, "exe"));
  for (int field = 3; field <= kStartStack; ++field) {
    const std::string_view value = fields.word();
    if (field == 3 && (value == "Z" || value == "X")) {
      return 0;
    }
    if (field == kStartCode || field == kStartStack) {
      (image += ' ') += value;
    }
  }
  return std::hash<std::string>()(image) | 1U;
}

bool is_replaced(int pid, std::uint64_t image) {
  const std::uint64_t now = image == 0 ? 0 : process_image(pid);
  return now != 0 && now != image;
}

std::vector<std::string> process_arguments(int pid) {
  const std::string path = proc_path(pid, "cmdline");
  const std::string first = read_record(path);
  return split_at_nul(first.size() < kRecordBytes ? first : read_file(path).value_or(""));
}

std::string process_cwd(int pid) {
  return read_link(proc_path(pid, "cwd"));
}

std::string process_descriptor(int pid, int descriptor) {
  return read_link(proc_path(pid, "fd/") + std::to_string(descriptor));
}

std::string process_directory(int pid) {
  const std::string cwd = process_cwd(pid);
  struct stat named{};
  struct stat its{};
  const bool same = !cwd.empty() && ::stat(cwd.c_str(), &named) == 0 &&
                    ::stat(proc_path(pid, "cwd").c_str(), &its) == 0 && named.st_dev == its.st_dev &&
                    named.st_ino == its.st_ino;
  return same ? cwd : std::string();
}

std::string process_root(int pid) {
  return read_link(proc_path(pid, "root"));
}

SignalMasks signal_masks(int pid) {
  const std::string status = read_file(proc_path(pid, "status")).value_or("");
  return {signal_mask(status, "\nSigIgn:\t"), signal_mask(status, "\nSigCgt:\t")};
}

bool is_in(std::uint64_t signals, int signal) {
  return (signals >> static_cast<unsigned>(signal - 1) & 1U) != 0;
}

std::string_view outlives_hangup(int pid) {
  if (is_in(signal_masks(pid).ignored, SIGHUP)) {
    return "ignores SIGHUP";
  }
  if (read_link(proc_path(pid, "fd/0")) != "/dev/null") {
    return {};
  }
  const std::string info = read_record(proc_path(pid, "fdinfo/0"));
  constexpr std::string_view kFlags = "flags:";
  const std::size_t at = info.find(kFlags);
  const unsigned long flags =
      at == std::string::npos ? 0 : std::strtoul(info.c_str() + at + kFlags.size(), nullptr, 8);
  return (flags & O_ACCMODE) == O_WRONLY ? "started by nohup" : "";
}

int process_uid(int pid) {
  struct stat info{};
  return ::stat(("/proc/" + std::to_string(pid)).c_str(), &info) == 0 ? static_cast<int>(info.st_uid) : -1;
}

std::string process_wchan(int pid) {
  return read_file(proc_path(pid, "wchan")).value_or("");
}

std::vector<std::string> process_environment(int pid) {
  return split_at_nul(read_file(proc_path(pid, "environ")).value_or(""));
}

std::string tab_cookie_in(std::string_view environment) {
  constexpr std::string_view kName = "TERMINALLY_TAB=";
  std::size_t at = environment.find(kName);
  while (at != std::string_view::npos && at != 0 && environment[at - 1] != '\0') {
    at = environment.find(kName, at + 1);
  }
  return at == std::string_view::npos ? std::string()
                                      : std::string(environment.substr(at, environment.find('\0', at) - at));
}

bool process_has_environment(int pid, std::string_view assignment) {
  const auto environment = read_file(proc_path(pid, "environ"));
  if (!environment) {
    return false;
  }
  const std::string needle = '\0' + std::string(assignment) + '\0';
  return ('\0' + *environment).find(needle) != std::string::npos;
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
  if (const std::size_t size = whole_words(text, 200).size(); size < text.size()) {
    text.resize(size);
    text += kCutMark;
  }
  std::replace_if(
      text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 32 || c == 127; }, ' ');
  return text;
}

bool is_alive(int pid) {
  const auto process = process_info(pid);
  return process ? process->state != 'Z' : pid > 0 && (::kill(pid, 0) == 0 || errno != ESRCH);
}

bool is_alive(ProcessId process) {
  const auto info = process_info(process.pid);
  return info ? info->id() == process && info->state != 'Z' : is_alive(process.pid);
}

/// The kernel marks each thread of a process that is killed, or calls exit_group, with SIGKILL, until the
/// thread takes that.
bool is_exiting(int pid) {
  const auto process = process_info(pid);
  const std::string status = process ? read_file(proc_path(pid, "status")).value_or("") : "";
  const std::uint64_t pending = signal_mask(status, "\nSigPnd:\t") | signal_mask(status, "\nShdPnd:\t");
  return process && (process->ends || (pending & (std::uint64_t{1} << (SIGKILL - 1U))) != 0);
}

bool is_stopped(int pid) {
  const auto process = process_info(pid);
  return process && (process->state == 'T' || process->state == 't');
}

int why_unseen(int pid) {
  return open_to_read(proc_path(pid, "stat")) ? 0 : errno;
}

std::uint64_t ticks_since_boot() {
  timespec now{};
  ::clock_gettime(CLOCK_BOOTTIME, &now);
  const auto hertz = static_cast<std::uint64_t>(::sysconf(_SC_CLK_TCK));
  return static_cast<std::uint64_t>(now.tv_sec) * hertz +
         static_cast<std::uint64_t>(now.tv_nsec) * hertz / 1'000'000'000ULL;
}

int lock_holder(const std::filesystem::path& path) {
  struct stat info{};
  if (::stat(path.c_str(), &info) != 0) {
    return 0;
  }
  // 12: FLOCK  ADVISORY  WRITE 4711 fe:01:1234567 0 EOF
  std::istringstream locks(read_file("/proc/locks").value_or(""));
  const std::string inode = ":" + std::to_string(info.st_ino);
  for (std::string line; std::getline(locks, line);) {
    std::istringstream fields(line);
    std::string number, kind, mandatory, mode, file;
    int pid = 0;
    fields >> number >> kind >> mandatory >> mode >> pid >> file;
    if (kind == "FLOCK" && file.ends_with(inode)) {
      return pid;
    }
  }
  return 0;
}

}  // namespace terminally
