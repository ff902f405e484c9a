#include "tmux/command_results.hpp"

#include <algorithm>
#include <iterator>

#include "base/error.hpp"
#include "command/awaiting_input.hpp"
#include "command/prompt.hpp"
#include "system/proc.hpp"
#include "tab/held_output.hpp"
#include "tab/markers.hpp"
#include "tab/shell_gateway.hpp"

namespace terminally {
namespace {

/// How much of the log is looked through: somewhat more than the writer keeps in memory.
constexpr std::uint64_t kMostLate = 9 << 20;
constexpr std::size_t kLateSlice = std::size_t{256} * 1024;

/// A command that ended while its log took nothing: its START or END may have come into the log since.
void find_late_markers(const PaneLog& log, CommandRecord& record) {
  if (record.unread_from == 0) {
    return;
  }
  std::uint64_t at = std::max(record.unread_from, record.typed_byte);
  const std::uint64_t until =
      record.end_byte > at ? record.end_byte : UINT64_MAX;  // the log was not readable
  MarkerScanner scanner(record.nonce, at);
  for (std::uint64_t read = 0; read < kMostLate && at < until;) {
    const PaneLog::Slice slice = log.read(at, kLateSlice);
    if (slice.from != at) {
      scanner = MarkerScanner(record.nonce, slice.from);
    }
    scanner.feed(slice.bytes);
    while (const auto marker = scanner.next()) {
      const bool end = marker->kind == Marker::Kind::end;
      (end ? record.end_byte : record.start_byte) = end ? marker->begin : marker->next;
    }
    if (slice.bytes.empty()) {
      break;
    }
    at = slice.next;
    read += slice.bytes.size();
  }
}

/// Where the log cannot be read, what is known of the command is told all the same, or it would be run again.
template <typename Read>
void read_or_note(std::vector<std::string>& notes, Read read) {
  try {
    read();
  } catch (const Error& error) {
    note_once(notes, error.what());
  }
}

std::string why_not_taken(const Tab& tab) {
  const Foreground foreground = look_at_foreground(tab.pane_pid);
  if (const auto reader = other_reader(tab, foreground)) {
    return ", or a part of it went to another: " + describe_reader(*reader);
  }
  return gateway_to(foreground) ? " when it arrives (a slow link)" : "";
}

}  // namespace

Awaitable<CommandResult> CommandResults::of(TabPtr tab, RunPtr run, ShowOutput how) const {
  std::vector<std::string> notes;
  if (!run->has_ended()) {
    read_or_note(notes, [&run] { run->output().read(); });
  }
  if (run->output().end()) {
    co_await run->wait_for_end_by(Clock::now() + CommandRun::kConcludes);
  }
  CommandRecord record = run->record();
  if (!run->has_ended()) {
    read_or_note(notes, [&] { record.end_byte = run->output().end_byte(); });
    record.duration_ms = ran_for_ms(record);
  }
  std::ranges::move(notes, std::back_inserter(record.notes));
  if (!run->has_ended() && !run->has_begun()) {
    record.reason = Reason::no_shell_answered;
    record.notes.push_back(
        "it is not known whether the shell has taken it: it may have run, and may still run" +
        why_not_taken(*tab) +
        ". It is not typed again; get_command_state says when it is known, cancel_command "
        "gives up");
  }
  co_return co_await of(tab, std::move(record), std::move(how));
}

Awaitable<CommandResult> CommandResults::of(TabPtr tab, CommandRecord record, ShowOutput how) const {
  read_or_note(record.notes, [&] { find_late_markers(tab->log, record); });
  note_told(*tab, record);
  CommandResult result;
  result.command_id = record.id;
  result.window_id = tab->window;
  result.command = record.command;
  result.state = record.state;
  result.reason = record.reason;
  result.exit_code = record.exit_code;
  result.timed_out = record.timed_out;
  result.start_byte = record.start_byte;
  result.end_byte = std::max(record.end_byte, record.start_byte);  // which is not known while it runs
  result.output_bytes = result.end_byte - result.start_byte;
  result.started_at_ms = record.started_at_ms;
  result.task_key = record.task_key;
  result.duration_ms = record.duration_ms;
  result.cwd = record.cwd;
  result.survivors = std::move(record.survivors);
  result.notes = std::move(record.notes);
  if (record.state == CommandState::running && !tab->closed) {
    if (const std::string cwd = process_cwd(look_at_foreground(tab->pane_pid).pid); !cwd.empty()) {
      result.cwd = cwd;
    }
  }
  // Of commands inside one another, the innermost has the keyboard.
  const bool running = record.state == CommandState::running;
  const bool innermost = tab->runs.empty() || tab->runs.back()->record().id == record.id;
  if (running && !tab->closed && innermost) {
    read_or_note(result.notes, [&] { result.awaiting_input = awaiting_input(*tab, how.view.guard.get()); });
    if (result.output_bytes == 0 && !result.awaiting_input) {
      note_once(result.notes, why_nothing_is_printed(*tab));
    }
  }
  const OutputRange range{result.start_byte, result.end_byte, running, result.start_byte};
  ShownOutput output;
  try {
    output = co_await show(tab, range, std::move(how));
  } catch (const Error& error) {
    output.omitted_bytes = range.end - range.begin;
    note_once(result.notes, error.what());
  }
  result.output = std::move(output.text);
  result.omitted_bytes = output.omitted_bytes;
  std::ranges::move(output.notes, std::back_inserter(result.notes));
  co_return result;
}

Awaitable<ShownOutput> CommandResults::show(TabPtr tab, OutputRange range, ShowOutput how) const {
  how.view.own_files = tab->files.directory();
  const std::shared_ptr<TextGuard> guard = how.view.guard;
  std::optional<BoundedText> made =
      co_await texts_.bounded_text(tab->log, range, std::move(how.view), tab->cols, how.max_bytes, how.by);
  ShownOutput shown;
  if (!made) {
    shown.omitted_bytes = range.end - range.begin;
    shown.notes.push_back(not_ready("the text of the output, bytes " + std::to_string(range.begin) + " to " +
                                        std::to_string(range.end) + " of the log,",
                                    tab->window, range.begin));
    co_return shown;
  }
  if (guard) {
    guard->count(made->masked);
  }
  shown.text = std::move(made->text);
  shown.omitted_bytes = made->omitted_bytes;
  if (auto note = cleared_note(made->cleared_lines, range.begin, range.end)) {
    shown.notes.push_back(std::move(*note));
  }
  if (auto note = gap_note(made->gap, "the output")) {
    shown.notes.push_back(std::move(*note));
  }
  co_return shown;
}

}  // namespace terminally
