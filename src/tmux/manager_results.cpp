// What is known of a command, while it runs and afterwards.

#include "base/error.hpp"
#include "tmux/awaiting_input.hpp"
#include "tmux/manager_impl.hpp"
#include "tmux/output.hpp"
#include "tmux/proc.hpp"

namespace terminally {

TmuxManager::Awaitable<CommandResult> TmuxManager::Impl::command_state(QueryCommand request) {
  const TabPtr tab = co_await find_tab(request.window_id);
  look_after(tab);
  for (const RunPtr& run : tab->runs) {
    if (request.command_id.empty() ? run == tab->runs.back() : run->record().id == request.command_id) {
      co_return result_of(*tab, *run, request.view, request.max_output_bytes);
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
  co_return result_of(*tab, *record, request.view, request.max_output_bytes);
}

CommandResult TmuxManager::Impl::result_of(const Tab& tab, CommandRun& run, TextView view,
                                           std::uint64_t max_output_bytes) const {
  if (!run.has_ended()) {
    run.look();
  }
  CommandRecord record = run.record();
  if (!run.has_ended()) {
    record.end_byte = run.output_end();
    record.duration_ms = run.duration_ms();
  }
  CommandResult result = result_of(tab, record, view, max_output_bytes);
  result.notes.insert(result.notes.begin(), run.notes().begin(), run.notes().end());
  return result;
}

CommandResult TmuxManager::Impl::result_of(const Tab& tab, const CommandRecord& record, TextView view,
                                           std::uint64_t max_output_bytes) const {
  CommandResult result;
  result.command_id = record.id;
  result.window_id = tab.window;
  result.command = record.command;
  result.state = record.state;
  result.reason = record.reason;
  result.exit_code = record.exit_code;
  result.timed_out = record.timed_out;
  result.start_byte = record.start_byte;
  result.end_byte =
      record.state == CommandState::running ? std::max(record.end_byte, record.start_byte) : record.end_byte;
  result.output_bytes = result.end_byte - result.start_byte;
  result.started_at_ms = record.started_at_ms;
  result.duration_ms = record.duration_ms;
  result.cwd = record.cwd;
  if (record.state == CommandState::running && !tab.closed) {
    if (const std::string cwd = process_cwd(look_at_foreground(tab.pane_pid).pid); !cwd.empty()) {
      result.cwd = cwd;
    }
  }
  // Of commands inside one another, the innermost has the keyboard.
  const bool innermost = tab.runs.empty() || tab.runs.back()->record().id == record.id;
  if (record.state == CommandState::running && !tab.closed && innermost) {
    result.awaiting_input = awaiting_input(tab);
  }
  BoundedText output =
      bounded_text(tab.log, result.start_byte, result.end_byte, view, tab.cols, max_output_bytes);
  result.output = std::move(output.text);
  result.omitted_bytes = output.omitted_bytes;
  return result;
}

}  // namespace terminally
