// Commands that nobody of this process looks after: have they ended since, and is the tab free?

#include "base/error.hpp"
#include "base/files.hpp"
#include "tmux/manager_impl.hpp"
#include "tmux/prompt.hpp"

namespace terminally {
namespace {

/// How much of a log is looked through for the end of a command that nobody watched, at once.
constexpr std::size_t kScanBytes = 1 << 20;
/// What has the foreground of a nested shell for less than this may be a step of its prompt.
constexpr Milliseconds kShortStep{500};

/// What is being ended has ended by then: the escalation takes 6 s.
constexpr Milliseconds kEnds{7'000};

bool is_nested(const Foreground& foreground) {
  return foreground.kind == Foreground::Kind::nested || foreground.kind == Foreground::Kind::gateway;
}

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

/// A command of this process runs: another may go only to a shell that it has opened. A step of that shell's
/// prompt may have the foreground for a moment. One that is being ended is waited for.
TmuxManager::Awaitable<void> TmuxManager::Impl::refuse_unless_nested(Tab& tab) {
  const auto patience = Clock::now() + kShortStep;
  const auto ending_patience = Clock::now() + kEnds;
  while (!tab.runs.empty()) {
    const RunPtr ending = tab.runs.back()->is_interrupted() ? tab.runs.back() : nullptr;
    if (ending && Clock::now() < ending_patience) {
      co_await finish_by(ending_patience, ending->wait_for_end());
      continue;
    }
    const Foreground foreground = look_at_foreground(tab.pane_pid);
    const CommandRun& latest = *tab.runs.back();
    if (is_nested(foreground) && latest.typed_into() != foreground.pid) {
      co_return;
    }
    if (!tab.runs.front()->opened_shell() || Clock::now() >= patience) {
      throw busy_with(tab, latest.record());
    }
    co_await sleep_for(Milliseconds(10));
  }
}

/// In the common case, an idle tab, this costs a lock and a look for one file.
TmuxManager::Awaitable<void> TmuxManager::Impl::refuse_if_busy(Tab& tab) {
  co_await refuse_unless_nested(tab);
  if (!tab.runs.empty()) {
    co_return;
  }
  FileLock lock = FileLock::try_lock(tab.files.lock_path());
  if (lock && tab.files.running_nonce()) {
    settle_unattended(tab);
    settle_unrecorded(tab);
  }
  const auto nonce = tab.files.running_nonce();
  if ((nonce || !lock) && !is_nested(look_at_foreground(tab.pane_pid))) {
    if (!nonce) {
      throw Error(ErrorCode::busy, "tab " + to_string(tab.window) +
                                       " is busy with a command of another terminally-mcp process; try again "
                                       "when it is done");
    }
    CommandRecord record = tab.records.find(nonce->substr(0, 8)).value_or(CommandRecord());
    record.id = nonce->substr(0, 8);
    throw busy_with(tab, record);
  }
  tab.command_lock = std::move(lock);
}

}  // namespace terminally
