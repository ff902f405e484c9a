// The shells of a command: whether its own is still there, and whether one that it opened shows its prompt.

#include "command/command_shells.hpp"

#include "system/keyboard_wait.hpp"
#include "tab/shell_gateway.hpp"

namespace terminally {

std::optional<ProcessId> CommandShells::own() const {
  const auto shell = process_info(record_->shell_pid);
  const bool still = shell && shell->state != 'Z' && shell->start_ticks <= record_->started_ticks &&
                     (shell->session == tab_.pane_pid.pid || shell->terminal != 0);
  return still ? std::optional(shell->id()) : std::nullopt;
}

bool CommandShells::own_is_gone() const {
  return !is_alive(record_->shell_pid);
}

bool CommandShells::own_is_replaced() const {
  return is_replaced(record_->shell_pid, record_->shell_image);
}

bool CommandShells::opened(const Foreground& now) const {
  if (own_is_gone()) {
    return false;  // what is there was opened by a command around it
  }
  const Foreground front = end_of_keys(tab_.tty, now).foreground;
  if (front.pid == record_->shell_pid) {
    return front.kind != Foreground::Kind::program && front.kind != Foreground::Kind::nothing &&
           own_is_replaced();
  }
  if (front.kind == Foreground::Kind::shell &&
      now.kind == Foreground::Kind::gateway) {  // the first one in the gateway's terminal
    const auto shell = process_info(front.pid);
    return shell && shell->start_ticks >= record_->started_ticks;
  }
  return front.kind == Foreground::Kind::nested ||
         (front.kind == Foreground::Kind::gateway && !front.runs_program);
}

/// Whether the command printed something after the last newline, as whoever shows a prompt does.
bool CommandShells::leaves_line_open() const {
  const std::uint64_t end = tab_.log.end();
  return end > record_->start_byte && tab_.log.read(end - 1, 1).bytes != "\n";
}

/// The shell that the command opened, or the way to it, once it has shown its prompt for a while.
std::optional<Foreground> CommandShells::prompt() {
  const Foreground now = look_at_foreground(tab_.pane_pid);
  const bool gateway = now.kind == Foreground::Kind::gateway;
  const bool nested =
      opened(now) && (!gateway || leaves_line_open()) && prompt_state(now, tab_.tty) == Prompt::ready;
  if (!nested) {
    prompt_seen_.reset();
    return std::nullopt;
  }
  prompt_seen_ = prompt_seen_.value_or(Clock::now());
  return Clock::now() - *prompt_seen_ < shell_times::kNestedPrompt ? std::nullopt : std::optional(now);
}

/// What waits behind ssh is as a rule a shell; what runs in a container may be any program that draws.
bool CommandShells::one_waits(bool told) {
  const auto now = prompt();
  if (now) {
    const bool shell = told || end_of_keys(tab_.tty, *now).foreground.is_shell();
    opened_one_ = opened_one_ || shell;
    if (shell || now->name == "ssh") {
      note_shell_gateway(*now, *prompt_seen_);
    }
  }
  return now.has_value();
}

/// A process that is older than the way on record was there before it, and is not the way in.
void CommandShells::note_shell_gateway(const Foreground& prompt, Clock::time_point seen) {
  std::optional<ShellGateway> way = shell_gateway(prompt, seen);
  if (!way ||
      (record_->shell_gateway && way->process.start_ticks <= record_->shell_gateway->process.start_ticks)) {
    return;
  }
  record_.edit().shell_gateway = std::move(way);
  record_.note_end_of_way();
  static_cast<void>(record_.save());  // it may end while nobody looks
}

}  // namespace terminally
