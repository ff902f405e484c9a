// Checks of `doctor` for the system: directories, socket path, locale, kernel and limits.

#include <fcntl.h>
#include <linux/magic.h>
#include <locale.h>
#include <sys/inotify.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "base/descriptors.hpp"
#include "base/files.hpp"
#include "checks/checks.hpp"
#include "instance/instance.hpp"
#include "system/proc.hpp"

namespace terminally {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1024} * 1024;
constexpr std::uint64_t kLittleBytes = 500 * kMiB;
constexpr std::uint64_t kTooLittleBytes = 20 * kMiB;

std::string kind_of(const struct statfs& system) {
  switch (static_cast<std::uint64_t>(system.f_type)) {
    case EXT4_SUPER_MAGIC:
      return "ext4";
    case XFS_SUPER_MAGIC:
      return "xfs";
    case BTRFS_SUPER_MAGIC:
      return "btrfs";
    case OVERLAYFS_SUPER_MAGIC:
      return "overlayfs";
    case TMPFS_MAGIC:
      return "tmpfs";
    case NFS_SUPER_MAGIC:
      return "nfs";
    case 0xFF534D42:
    case 0xFE534D42:
      return "cifs";
    default:
      return "filesystem type " + std::to_string(static_cast<std::uint64_t>(system.f_type));
  }
}

std::string mode_of(const struct stat& info) {
  char text[8];
  std::snprintf(text, sizeof text, "%04o", static_cast<unsigned>(info.st_mode & 07777U));
  return text;
}

/// Checks owner, mode and kind of a directory as the server does, which refuses an unfit one.
Finding check_privacy(const std::string& what, const std::filesystem::path& path, const std::string& flag) {
  struct stat info{};
  const std::string other = "choose another place with " + flag;
  if (::lstat(path.c_str(), &info) != 0) {
    const std::filesystem::path parent = nearest_directory(path);
    return ::access(parent.c_str(), W_OK | X_OK) == 0
               ? fine(what + " is not there yet and will be made")
               : wrong(what + " cannot be made: " + parent.string() + " cannot be written", other);
  }
  if (!S_ISDIR(info.st_mode)) {
    return wrong(what + " is no directory (symbolic links are refused)", "remove it, or " + other);
  }
  if (info.st_uid != ::geteuid()) {
    return wrong(what + " belongs to uid " + std::to_string(info.st_uid) + ", not to you", other);
  }
  if ((info.st_mode & 022U) != 0) {
    return wrong(what + " can be written by others, mode " + mode_of(info), "chmod 700 " + path.string());
  }
  return fine(what + ", yours, mode " + mode_of(info));
}

Finding check_space(const std::string& what, const std::filesystem::path& path, const std::string& flag,
                    bool for_logs) {
  struct statfs system{};
  if (::statfs(nearest_directory(path).c_str(), &system) != 0) {
    return warning(what + ": its filesystem cannot be looked at: " + std::strerror(errno),
                   "choose another place with " + flag);
  }
  const std::uint64_t free_bytes =
      static_cast<std::uint64_t>(system.f_bavail) * static_cast<std::uint64_t>(system.f_bsize);
  const std::string kind = kind_of(system);
  const std::string text = what + ": " + std::to_string(free_bytes / kMiB) + " MiB free, " + kind;
  if (free_bytes < kTooLittleBytes) {
    return wrong(text, "make room, or choose another place with " + flag);
  }
  if (for_logs && kind == "tmpfs") {
    return warning(text + ": logs are in memory and end with the machine",
                   "choose a place on a disk with " + flag);
  }
  if (!for_logs && (kind == "nfs" || kind == "cifs")) {
    return warning(text + ": sockets and locks on the network may fail",
                   "choose a place on this machine with " + flag);
  }
  if (for_logs && free_bytes < kLittleBytes) {
    return warning(text, "logs may fill it: make room, or choose another place with " + flag);
  }
  return fine(text);
}

std::string limit_text(rlim_t limit) {
  return limit == RLIM_INFINITY ? "unlimited" : std::to_string(limit);
}

std::uint64_t kernel_number(const char* path) {
  return std::strtoull(read_file(path).value_or("0").c_str(), nullptr, 10);
}

/// Whether tmux can open the pseudo terminals of its tabs.
Finding check_pseudo_terminals() {
  const UniqueFd terminal(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
  char name[64];
  const bool opened = terminal && ::unlockpt(terminal.get()) == 0 &&
                      ::ptsname_r(terminal.get(), name, sizeof name) == 0 && ::access(name, R_OK | W_OK) == 0;
  return opened
             ? fine("pseudo terminals: there")
             : wrong(
                   std::string("pseudo terminals: /dev/ptmx and /dev/pts: ") + std::strerror(errno),
                   "mount -t devpts -o newinstance,ptmxmode=0666 devpts /dev/pts; ln -sf pts/ptmx /dev/ptmx");
}

/// Where ncurses(3) and others look for terminal descriptions.
std::vector<std::filesystem::path> terminal_descriptions() {
  std::vector<std::filesystem::path> places = {"/etc/terminfo", "/lib/terminfo", "/usr/share/terminfo",
                                               "/usr/lib/terminfo", "/usr/local/share/terminfo"};
  if (const char* named = std::getenv("TERMINFO")) {
    places.emplace_back(named);
  }
  if (const char* home = std::getenv("HOME")) {
    places.push_back(std::filesystem::path(home) / ".terminfo");
  }
  return places;
}

/// Programs that draw in a tab need the description. The tools do not: tmux draws for no terminal there.
Finding check_terminal_description() {
  const std::string name = "tmux-256color";  // TERM in the tabs
  std::error_code error;
  for (const std::filesystem::path& place : terminal_descriptions()) {
    for (const char* folder : {"t", "74"}) {  // the name's first character, or its code in hexadecimal
      if (std::filesystem::exists(place / folder / name, error)) {
        return fine("terminal description: " + (place / folder / name).string());
      }
    }
  }
  return warning(
      "terminal description: none of " + name + ", so that vim, less and the like cannot draw in tabs",
      "install it (apt-get install ncurses-base), or set TERMINFO to where it is");
}

}  // namespace

std::filesystem::path nearest_directory(std::filesystem::path path) {
  std::error_code error;
  while (!std::filesystem::exists(path, error) && path.has_parent_path() && path.parent_path() != path) {
    path = path.parent_path();
  }
  return path;
}

Findings check_directories(const Config& config) {
  const std::string runtime = "runtime directory " + config.runtime_root.string();
  const std::string state = "state directory " + config.state_root.string();
  return {check_privacy(runtime, config.runtime_root, "--runtime-dir"),
          check_space("runtime directory", config.runtime_root, "--runtime-dir", false),
          check_privacy(state, config.state_root, "--state-dir"),
          check_space("state directory", config.state_root, "--state-dir", true)};
}

Findings check_socket_path(const Config& config) {
  const Instance instance(config, config.instance.empty() ? fresh_instance_name() : config.instance);
  const std::size_t bytes = instance.socket().native().size();
  const std::size_t most = sizeof sockaddr_un::sun_path - 1;
  const std::string what =
      "socket path: " + std::to_string(bytes) + " of at most " + std::to_string(most) + " bytes";
  return {bytes <= most ? fine(what) : wrong(what, "give a shorter --runtime-dir")};
}

Findings check_locale(const Config& /*config*/) {
  std::string name = "none";
  for (const char* variable : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* value = std::getenv(variable);
    if (value != nullptr && *value != '\0') {
      name = value;
      break;
    }
  }
  const bool utf8 = name.find("UTF-8") != std::string::npos || name.find("utf8") != std::string::npos;
  const std::string used = utf8 ? name : "C.UTF-8";
  const locale_t locale = ::newlocale(LC_CTYPE_MASK, used.c_str(), nullptr);
  if (locale == nullptr) {
    return {warning(
        "locale: " + used + ", which tabs would get, is not installed: programs may print other than UTF-8",
        "install it (apt-get install locales, locale-gen), or set LANG=C.UTF-8")};
  }
  ::freelocale(locale);
  return {fine(utf8 ? "locale: " + name : "locale: " + name + "; tabs get C.UTF-8")};
}

Findings check_kernel(const Config& /*config*/) {
  Findings findings;
  const UniqueFd inotify(::inotify_init1(IN_CLOEXEC));
  findings.push_back(inotify ? fine("inotify: there")
                             : wrong(std::string("inotify: ") + std::strerror(errno),
                                     "raise fs.inotify.max_user_instances with sysctl"));
  const UniqueFd pidfd(static_cast<int>(::syscall(SYS_pidfd_open, ::getpid(), 0)));
  findings.push_back(pidfd ? fine("pidfd: there")
                           : wrong(std::string("pidfd: ") + std::strerror(errno),
                                   "needs Linux 5.3 or later, and a sandbox that allows pidfd_open"));
  const std::string trouble = trouble_with_proc();
  findings.push_back(trouble.empty() ? fine("/proc: there") : wrong(trouble, "mount -t proc proc /proc"));
  findings.push_back(check_pseudo_terminals());
  findings.push_back(check_terminal_description());
  return findings;
}

Findings check_limits(const Config& /*config*/) {
  Findings findings;
  rlimit files{};
  ::getrlimit(RLIMIT_NOFILE, &files);
  const std::string open_files = "open files: at most " + limit_text(files.rlim_cur);
  findings.push_back(files.rlim_cur >= 512 ? fine(open_files)
                                           : warning(open_files, "ulimit -n 1024 for many tabs"));
  const std::uint64_t watches = kernel_number("/proc/sys/fs/inotify/max_user_watches");
  const std::uint64_t instances = kernel_number("/proc/sys/fs/inotify/max_user_instances");
  const std::string inotify =
      "inotify limits: " + std::to_string(watches) + " watches, " + std::to_string(instances) + " instances";
  findings.push_back(
      watches >= 1'024 && instances >= 64
          ? fine(inotify)
          : warning(inotify, "sysctl fs.inotify.max_user_watches=8192 fs.inotify.max_user_instances=128"));
  return findings;
}

}  // namespace terminally
