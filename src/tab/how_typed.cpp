// How a command was typed, also by another process, and the files that its shell reads.

#include "tab/how_typed.hpp"

#include "system/proc.hpp"

namespace terminally {

void HowTyped::mark_running(const CommandFiles& files, const CommandRecord& record) const {
  if (!nested) {
    files.mark_running(record.nonce, record.cwd);
  }
}

void HowTyped::restore_files(const CommandFiles& files, const CommandRecord& record) const noexcept {
  if (script.files.empty() || !files.are_gone(record.nonce)) {
    return;
  }
  try {
    files.write(script, record.nonce);
    mark_running(files, record);
    files.mark_taken(record.nonce);
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): the next look tries again
  }
}

HowTyped how_it_was_typed(const Tab& tab, const CommandRecord& record, const std::filesystem::path& helper) {
  HowTyped typed;
  if (tab.closed) {
    return typed;
  }
  const auto shell = process_info(record.shell_pid);
  const bool own_shell = shell && shell->parent == tab.pane_pid.pid;
  const auto marked = tab.files.running_nonce();
  typed.in_files = !tab.files.are_gone(record.nonce);
  typed.nested = (!own_shell || marked) && marked != record.nonce;
  typed.reporter = exit_reporter(record.shell_pid);
  const auto kind = shell ? shell_kind(shell->name) : std::nullopt;
  if (kind && !is_replaced(record.shell_pid, record.shell_image) && (own_shell || typed.in_files)) {
    typed.script = shell_script(*kind, ShellCommand{.text = record.command,
                                                    .nonce = record.nonce,
                                                    .directory = tab.files.directory(),
                                                    .helper = helper});
  }
  return typed;
}

}  // namespace terminally
