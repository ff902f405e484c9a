// What is known of a command, while it runs and afterwards.

#include <algorithm>
#include <iterator>

#include "base/error.hpp"
#include "tmux/awaiting_input.hpp"
#include "tmux/manager_impl.hpp"
#include "tmux/markers.hpp"
#include "tmux/proc.hpp"
#include "tmux/way_in.hpp"

namespace terminally {
namespace {

/// Its writer keeps that much in memory.
constexpr std::uint64_t kMostLate = 9 << 20;
constexpr std::size_t kLateSlice = std::size_t{256} * 1024;

/// A command that ended while its log took nothing: its START or END may have come into the log since.
void find_late_markers(const PaneLog& log, CommandRecord& record) {
  if (record.unread_from == 0) {
    return;
  }
  std::uint64_t at = std::max(record.unread_from, record.typed_byte);
  MarkerScanner scanner(record.nonce, at);
  for (std::uint64_t read = 0; read < kMostLate && at < record.end_byte;) {
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

}  // namespace

TmuxManager::Awaitable<CommandResult> TmuxManager::Impl::command_state(QueryCommand request, CallTime time) {
  const TabPtr tab = co_await find_tab(request.window_id);
  look_after(tab);
  while (tab->closed && !tab->runs.empty() && Clock::now() < time.returns_by()) {
    const RunPtr run = tab->runs.back();  // its log is being read to the end
    co_await finish_by(time.returns_by(), run->wait_for_end());
  }
  const ShowOutput how{std::move(request.view), request.max_output_bytes, time.returns_by()};
  for (const RunPtr& run : tab->runs) {
    if (request.command_id.empty() ? run == tab->runs.back() : run->record().id == request.command_id) {
      co_return co_await result_of(tab, run, how);
    }
  }
  const auto record =
      request.command_id.empty() ? tab->records.latest() : tab->records.find(request.command_id);
  if (!record) {
    throw Error(ErrorCode::not_found,
                request.command_id.empty()
                    ? "window_id: no command was run in tab " + to_string(request.window_id) + " yet"
                    : "command_id: there is no command \"" + request.command_id + "\" in tab " +
                          to_string(request.window_id));
  }
  co_return co_await result_of(tab, *record, how);
}

TmuxManager::Awaitable<CommandResult> TmuxManager::Impl::result_of(TabPtr tab, RunPtr run, ShowOutput how) {
  if (!run->has_ended()) {
    run->look();
  }
  if (run->end_was_seen()) {
    co_await run->ends_by(Clock::now() + CommandRun::kConcludes);
  }
  CommandRecord record = run->record();
  if (!run->has_ended()) {
    record.end_byte = run->output_end();
    record.duration_ms = run->duration_ms();
  }
  if (!run->has_ended() && !run->has_begun()) {
    record.reason = Reason::no_shell_answered;
    record.notes.emplace_back(
        "it is not known whether the shell has taken it: it may have run, and may still run when it arrives "
        "(a slow link). It is not typed again; get_command_state says when it is known, cancel_command gives "
        "up");
  }
  co_return co_await result_of(tab, std::move(record), std::move(how));
}

TmuxManager::Awaitable<CommandResult> TmuxManager::Impl::result_of(TabPtr tab, CommandRecord record,
                                                                   ShowOutput how) {
  find_late_markers(tab->log, record);
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
  result.duration_ms = record.duration_ms;
  result.cwd = record.cwd;
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
    result.awaiting_input = awaiting_input(*tab, how.view.guard.get());
  }
  const OutputRange range{result.start_byte, result.end_byte, running, result.start_byte};
  ShownOutput output = co_await show(tab, range, std::move(how));
  result.output = std::move(output.text);
  result.omitted_bytes = output.omitted_bytes;
  std::ranges::move(output.notes, std::back_inserter(result.notes));
  co_return result;
}

TmuxManager::Awaitable<TmuxManager::Impl::ShownOutput> TmuxManager::Impl::show(TabPtr tab, OutputRange range,
                                                                               ShowOutput how) {
  how.view.own_files = tab->files.directory();
  std::optional<BoundedText> made = co_await text_worker_.bounded_text(tab->log, range, std::move(how.view),
                                                                       tab->cols, how.max_bytes, how.by);
  ShownOutput shown;
  if (!made) {
    shown.omitted_bytes = range.end - range.begin;
    shown.notes.push_back(not_ready("the text of the output, bytes " + std::to_string(range.begin) + " to " +
                                        std::to_string(range.end) + " of the log,",
                                    tab->window, range.begin));
    co_return shown;
  }
  shown.text = std::move(made->text);
  shown.omitted_bytes = made->omitted_bytes;
  if (auto note = gap_note(made->gap, "the output")) {
    shown.notes.push_back(std::move(*note));
  }
  co_return shown;
}

}  // namespace terminally
