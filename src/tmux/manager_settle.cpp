// Commands that nobody of this process looks after: have they ended since, and is the tab free?

#include "base/error.hpp"
#include "base/files.hpp"
#include "tmux/manager_impl.hpp"
#include "tmux/prompt.hpp"

namespace terminally {
namespace {

/// How much of a log is looked through for the end of a command that nobody watched, at once.
constexpr std::size_t kScanBytes = 1 << 20;

Error busy_with(const Tab& tab, const CommandRecord& record) {
  return Error(ErrorCode::busy, "tab " + to_string(tab.window) + " is busy with command " + record.id + " (" +
                                    first_words(record.command) +
                                    "); get_command_state shows it, cancel_command ends it");
}

}  // namespace

/// A mark without a record: whoever typed the command died before it began. It is over once the shell waits
/// at its prompt, and must not begin after that. Only for whoever holds the tab's lock.
void TmuxManager::Impl::settle_unrecorded(Tab& tab) {
  const auto nonce = tab.files.running_nonce();
  const Foreground foreground = look_at_foreground(tab.pane_pid);
  if (nonce && !tab.records.find(nonce->substr(0, 8)) && foreground.kind == Foreground::Kind::shell &&
      prompt_state(foreground, tab.tty) == Prompt::ready) {
    tab.files.remove(*nonce);
  }
}

/// A command that another process started, or whose server died: has it ended since?
void TmuxManager::Impl::settle_unattended(Tab& tab) {
  const auto nonce = tab.files.running_nonce();
  auto record = nonce ? tab.records.find(nonce->substr(0, 8)) : std::nullopt;
  if (!record) {
    return;
  }
  MarkerScanner scanner(*nonce, record->typed_byte);
  std::optional<Marker> end;
  for (std::uint64_t at = record->typed_byte; !end;) {
    const PaneLog::Slice slice = tab.log.read(at, kScanBytes);
    scanner.feed(slice.bytes);
    while (const auto marker = scanner.next()) {
      if (marker->kind == Marker::Kind::end) {
        end = marker;
        break;
      }
      record->start_byte = marker->next;
    }
    at = slice.next;
    if (slice.eof || slice.bytes.empty()) {
      break;
    }
  }
  const auto code = tab.files.exit_code(*nonce);
  if (!end && !code) {
    return;
  }
  record->state = CommandState::completed;
  record->reason = end && end->by == Marker::By::shell ? Reason::shell_exited : Reason::none;
  record->exit_code = end ? end->exit_code : *code;
  record->end_byte = end ? end->begin : tab.log.end();
  tab.records.append(*record);
  tab.files.remove(*nonce);
  tab.last_exit = *record->exit_code;
}

/// A command that nobody looks after and that has left its exit code: costs nothing where there is none.
void TmuxManager::Impl::settle_ended(Tab& tab) {
  const auto nonce = tab.runs.empty() ? tab.files.running_nonce() : std::nullopt;
  if (!nonce || !tab.files.exit_code(*nonce)) {
    return;
  }
  if (const FileLock lock = FileLock::try_lock(tab.files.lock_path())) {
    settle_unattended(tab);
  }
}

TmuxManager::Awaitable<void> TmuxManager::Impl::refuse_if_busy(Tab& tab) {
  const Foreground foreground = look_at_foreground(tab.pane_pid);
  const bool in_nested_shell =
      foreground.kind == Foreground::Kind::nested || foreground.kind == Foreground::Kind::gateway;
  if (!tab.runs.empty() && (!in_nested_shell || tab.runs.back()->typed_into() == foreground.pid)) {
    throw busy_with(tab, tab.runs.back()->record());
  }
  if (!tab.runs.empty()) {
    co_return;
  }
  FileLock lock = FileLock::try_lock(tab.files.lock_path());
  if (lock) {
    settle_unattended(tab);
    settle_unrecorded(tab);
  }
  const auto nonce = tab.files.running_nonce();
  if (nonce && !in_nested_shell) {
    CommandRecord record = tab.records.find(nonce->substr(0, 8)).value_or(CommandRecord());
    record.id = nonce->substr(0, 8);
    throw busy_with(tab, record);
  }
  if (!lock && !in_nested_shell) {
    throw Error(ErrorCode::busy, "tab " + to_string(tab.window) +
                                     " is busy with a command of another terminally-mcp process; try again "
                                     "when it is done");
  }
  tab.command_lock = std::move(lock);
}

}  // namespace terminally
