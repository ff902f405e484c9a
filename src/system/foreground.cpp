// Tells the kind of a shell by the name of its program.
// Finds out from /proc what has a terminal's foreground.

#include "system/foreground.hpp"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <string_view>
#include <system_error>

#include "system/proc.hpp"
#include "system/taken_terminal.hpp"
#include "system/terminal.hpp"

namespace terminally {

std::optional<ShellKind> shell_kind(std::string_view program) {
  if (const std::size_t slash = program.rfind('/'); slash != std::string_view::npos) {
    program.remove_prefix(slash + 1);
  }
  if (program.starts_with('-')) {
    program.remove_prefix(1);
  }
  static const std::map<std::string_view, ShellKind> kinds = {
      {"bash", ShellKind::bash},  {"rbash", ShellKind::bash},    {"zsh", ShellKind::zsh},
      {"fish", ShellKind::fish},  {"dash", ShellKind::posix},    {"sh", ShellKind::posix},
      {"ash", ShellKind::posix},  {"ksh", ShellKind::posix},     {"ksh93", ShellKind::posix},
      {"mksh", ShellKind::posix}, {"busybox", ShellKind::posix},
  };
  const auto found = kinds.find(program);
  return found == kinds.end() ? std::nullopt : std::optional(found->second);
}

namespace {

constexpr std::array<std::string_view, 18> kGateways = {
    "ssh", "mosh-client", "su",         "sudo", "doas",  "runuser", "docker", "podman", "kubectl",
    "oc",  "nsenter",     "machinectl", "lxc",  "incus", "telnet",  "script", "chroot", "login",
};

constexpr std::uint64_t kBeingMade = 100;  ///< ticks of 10 ms
constexpr std::size_t kMostBehind = 100;   ///< how many processes of a tree are read

}  // namespace

bool is_gateway(std::string_view program) {
  return std::find(kGateways.begin(), kGateways.end(), program) != kGateways.end();
}

namespace {

/// Gateways that end with the exit code of the shell that they opened.
constexpr std::array<std::string_view, 13> kPassOnExitCode = {
    "ssh",     "su", "sudo",    "doas", "runuser", "docker", "podman",
    "kubectl", "oc", "nsenter", "lxc",  "incus",   "chroot",
};

bool passes_on_exit_code(std::string_view name) {
  return std::find(kPassOnExitCode.begin(), kPassOnExitCode.end(), name) != kPassOnExitCode.end();
}

/// Whether the shell takes its commands from a terminal: such a shell ignores some signals of the keyboard
/// and `kill`, and a script ignores none. Descriptor 0 does not tell: it is the terminal while `read
/// </dev/tty` runs in a script, and a file while a loop reads one at the prompt. In fish descriptor 0 tells,
/// and signals do not.
bool reads_terminal(int pid, ShellKind kind) {
  if (kind == ShellKind::fish) {
    const std::string input = process_descriptor(pid, 0);
    return input.empty() || input.starts_with("/dev/pts/") || input.starts_with("/dev/tty") ||
           input == "/dev/console";
  }
  const std::uint64_t ignored = signal_masks(pid).ignored;
  return std::ranges::any_of(std::array{SIGTERM, SIGTSTP, SIGTTOU},
                             [ignored](int signal) { return is_in(ignored, signal); });
}

bool takes_value(std::string_view option, bool fish) {
  return option == "-o" || option == "+o" || option == "-O" || option == "--rcfile" ||
         option == "--init-file" || (fish && (option == "-C" || option == "--init-command"));
}

/// A shell that was given a script or a command is a program like any other.
bool is_interactive_shell(int pid) {
  const std::vector<std::string> arguments = process_arguments(pid);
  if (arguments.empty()) {
    return false;
  }
  std::size_t first = 1;
  if (arguments.front().ends_with("busybox")) {
    first = 2;
  }
  const bool fish = shell_kind(arguments.front()) == ShellKind::fish;
  for (std::size_t i = first; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (takes_value(argument, fish)) {
      ++i;
    } else if (argument == "-c" || argument == "-s" ||
               (!argument.starts_with('-') && !argument.starts_with('+'))) {
      return false;
    }
  }
  return true;
}

/// Whether a process lives and we may not read its cwd: another user's, or one that cannot be dumped. A
/// process that has ended, or is just ending, has no cwd.
bool hides(int pid) {
  std::error_code error;
  static_cast<void>(std::filesystem::read_symlink("/proc/" + std::to_string(pid) + "/cwd", error));
  return error == std::errc::permission_denied;
}

/// Whether a process is a shell's child that has not begun a program yet, or a subshell: it has the shell's
/// name and arguments, and shows no prompt. False for another user's process. One that is just ending has no
/// image any more, and waits for nothing.
bool is_fork(const ProcessInfo& process) {
  std::error_code error;
  static_cast<void>(std::filesystem::read_symlink("/proc/" + std::to_string(process.pid) + "/exe", error));
  if (error) {
    return error != std::errc::permission_denied;
  }
  const std::uint64_t image = process_image(process.pid);
  return image == 0 || image == process_image(process.parent);
}

std::optional<ProcessInfo> leader_of(int group) {
  auto leader = process_info(group);
  return leader && leader->group == group && leader->state != 'Z' ? std::move(leader) : std::nullopt;
}

/// The leader of a group, or, where the leader has ended (`true | sleep 9`), the first member among the
/// descendants of `ancestor`. Does not read all processes of the machine.
std::optional<ProcessInfo> member_of(int group, int ancestor) {
  if (auto leader = leader_of(group)) {
    return leader;
  }
  for (ProcessInfo& process : process_tree(ancestor, kMostBehind)) {
    if (process.group == group && process.state != 'Z') {
      return std::move(process);
    }
  }
  return std::nullopt;
}

/// The foreground group of the terminal that a gateway of this machine made for its command (script, sudo
/// with use_pty, su --pty). Nothing where the far side cannot be seen.
std::optional<int> foreground_behind(const ProcessInfo& gateway) {
  for (const ProcessInfo& process : process_tree(gateway.pid, kMostBehind)) {
    if (process.session != gateway.session && process.foreground_group > 0) {
      return process.foreground_group;
    }
  }
  return std::nullopt;
}

bool shows_prompt(const ProcessInfo& process) {
  const auto kind = shell_kind(process.name);
  return process.state == 'S' && kind && is_interactive_shell(process.pid) &&
         reads_terminal(process.pid, *kind);
}

bool runs_program(const ProcessInfo& gateway, dev_t terminal);

/// Of what a gateway started in sessions without a terminal (`su -c`): whether something has the keyboard
/// there, and no shell waits for it.
bool runs_without_terminal(const ProcessInfo& gateway, dev_t terminal) {
  bool found = false;
  for (const ProcessInfo& process : process_tree(gateway.pid, kMostBehind)) {
    if (process.pid == gateway.pid || !has_keyboard_without_terminal(process, terminal)) {
      continue;
    }
    const bool prompt = is_gateway(process.name)
                            ? !runs_program(process, terminal)
                            : shows_prompt(process) && tty_wait(process.pid, terminal) != TtyWait::no;
    if (prompt) {
      return false;
    }
    found = true;
  }
  return found;
}

/// `terminal`: whose keys the gateway passes on.
bool runs_program(const ProcessInfo& gateway, dev_t terminal) {
  const auto group = foreground_behind(gateway);
  if (!group) {
    return runs_without_terminal(gateway, terminal);
  }
  const auto leader = member_of(*group, gateway.pid);
  if (!leader) {
    return true;  // between two programs
  }
  return is_gateway(leader->name) ? runs_program(*leader, leader->terminal) : !shows_prompt(*leader);
}

/// `shell_pid` is where the terminal's processes begin, and `leader` that of the group, should it live.
Foreground foreground_below(int shell_pid, int group, std::optional<ProcessInfo> leader) {
  Foreground foreground;
  foreground.kind = Foreground::Kind::program;
  foreground.group = group;
  foreground.shell_pid = shell_pid;
  if (!leader) {
    leader = member_of(group, shell_pid);
  }
  if (!leader) {
    return foreground;
  }
  foreground.pid = leader->pid;
  foreground.name = leader->name;
  const auto kind = shell_kind(leader->name);
  const bool own = leader->pid == shell_pid;
  if (kind && is_interactive_shell(leader->pid) &&
      (own || (reads_terminal(leader->pid, *kind) && !is_fork(*leader)))) {
    foreground.kind = own ? Foreground::Kind::shell : Foreground::Kind::nested;
  } else if (is_gateway(leader->name)) {
    foreground.kind = Foreground::Kind::gateway;
    foreground.runs_program = runs_program(*leader, leader->terminal);
  }
  foreground.shell = kind;
  return foreground;
}

}  // namespace

Foreground look_at_foreground(ProcessId pane) {
  const auto terminal = process_info(pane);
  if (!terminal || terminal->state == 'Z') {
    return {};
  }
  const auto leader = leader_of(terminal->foreground_group);
  const int shell_pid =
      leader && leader->parent == pane.pid ? leader->pid : first_child(pane.pid).value_or(0);
  if (const auto taken = taken_terminal(*terminal, shell_pid)) {
    const ProcessInfo& holder = taken->holder;
    return {.kind = Foreground::Kind::program,
            .pid = holder.pid,
            .group = holder.group,
            .shell_pid = shell_pid,
            .name = holder.name,
            .shell = std::nullopt,
            .terminal_is_taken = true};
  }
  return foreground_below(shell_pid, terminal->foreground_group, leader);
}

Foreground foreground_of_session(int leader, int group) {
  return foreground_below(leader, group, leader_of(group));
}

bool reads_our_files(const Foreground& foreground) {
  static const std::string own_root = process_root(::getpid());
  return foreground.shell && process_uid(foreground.pid) == static_cast<int>(::geteuid()) &&
         process_root(foreground.pid) == own_root;
}

bool has_keyboard_without_terminal(const ProcessInfo& process, dev_t terminal) {
  return process.terminal == 0 && process.state != 'Z' &&
         (has_open(process.pid, terminal) || hides(process.pid));
}

InFront in_front(const Foreground& foreground) {
  InFront front{.name = foreground.name, .cwd = process_cwd(foreground.pid)};
  if (!front.cwd.empty() || hides(foreground.pid)) {
    return front;
  }
  const auto shell = process_info(foreground.shell_pid);
  return {.name = shell ? shell->name : front.name, .cwd = process_cwd(foreground.shell_pid)};
}

std::optional<ProcessInfo> gateway_to(const Foreground& foreground) {
  for (auto above = process_info(foreground.pid); above; above = process_info(above->parent)) {
    if (is_gateway(above->name)) {
      return above;
    }
    if (above->pid == foreground.shell_pid) {
      break;
    }
  }
  return std::nullopt;
}

bool is_restricted_shell(const Foreground& foreground) {
  if (foreground.shell != ShellKind::bash && foreground.shell != ShellKind::zsh) {
    return false;
  }
  const std::vector<std::string> arguments = process_arguments(foreground.pid);
  const std::string name =
      arguments.empty() ? "" : arguments.front().substr(arguments.front().rfind('/') + 1);
  if (name.starts_with("r") || name.starts_with("-r")) {
    return true;
  }
  for (std::size_t i = 1; i < arguments.size() && arguments[i].starts_with('-'); ++i) {
    const std::string& option = arguments[i];
    const bool letters = option.find_first_not_of("-ilrsvx") == std::string::npos;
    if (option.ends_with("-restricted") || (letters && option.find('r') != std::string::npos)) {
      return true;
    }
    i += takes_value(option, false) ? 1 : 0;
  }
  return false;
}

bool is_starting(const Foreground& foreground, ProcessId pane) {
  return foreground.pid == pane.pid || (foreground.pid != 0 && foreground.pid == foreground.shell_pid &&
                                        process_image(foreground.pid) == process_image(pane.pid));
}

bool ignores_sigterm_before_exec(const Foreground& foreground) {
  const auto process = process_info(foreground.pid);
  if (!process || process->start_ticks + kBeingMade < ticks_since_boot() || !is_fork(*process) ||
      process_arguments(process->pid) != process_arguments(process->parent)) {
    return false;
  }
  const SignalMasks its = signal_masks(process->pid);
  return is_in(its.ignored | (its.caught & signal_masks(process->parent).caught), SIGTERM);
}

ExitReporter exit_reporter(int shell_pid) {
  auto reporter = process_info(shell_pid);
  if (!reporter) {
    return {};
  }
  bool passed_on = is_gateway(reporter->name);
  bool known = !passed_on || passes_on_exit_code(reporter->name);
  for (auto above = process_info(reporter->parent); above && passes_on_exit_code(above->name);
       above = process_info(reporter->parent)) {
    reporter = std::move(above);
    passed_on = true;
  }
  return known ? ExitReporter{reporter->pid, reporter->parent, reporter->name, passed_on} : ExitReporter{};
}

}  // namespace terminally
