// What is known of a command, while it runs and afterwards.

#include "base/error.hpp"
#include "tmux/awaiting_input.hpp"
#include "tmux/manager_impl.hpp"
#include "tmux/proc.hpp"

namespace terminally {

TmuxManager::Awaitable<CommandResult> TmuxManager::Impl::command_state(QueryCommand request) {
  const TabPtr tab = co_await find_tab(request.window_id);
  look_after(tab);
  while (tab->closed && !tab->runs.empty()) {
    const RunPtr run = tab->runs.back();  // its log is being read to the end
    co_await run->wait_for_end();
  }
  for (const RunPtr& run : tab->runs) {
    if (request.command_id.empty() ? run == tab->runs.back() : run->record().id == request.command_id) {
      co_return co_await result_of(tab, run, request.view, request.max_output_bytes);
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
  co_return co_await result_of(tab, *record, request.view, request.max_output_bytes);
}

TmuxManager::Awaitable<CommandResult> TmuxManager::Impl::result_of(TabPtr tab, RunPtr run, TextView view,
                                                                   std::uint64_t max_output_bytes) {
  if (!run->has_ended()) {
    run->look();
  }
  CommandRecord record = run->record();
  if (!run->has_ended()) {
    record.end_byte = run->output_end();
    record.duration_ms = run->duration_ms();
  }
  co_return co_await result_of(tab, std::move(record), view, max_output_bytes);
}

TmuxManager::Awaitable<CommandResult> TmuxManager::Impl::result_of(TabPtr tab, CommandRecord record,
                                                                   TextView view,
                                                                   std::uint64_t max_output_bytes) {
  CommandResult result;
  result.command_id = record.id;
  result.window_id = tab->window;
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
    result.awaiting_input = awaiting_input(*tab, view.guard.get());
  }
  const OutputRange range{result.start_byte, result.end_byte, running, result.start_byte};
  BoundedText output = co_await text_worker_.bounded_text(tab->log, range, view, tab->cols, max_output_bytes);
  result.output = std::move(output.text);
  result.omitted_bytes = output.omitted_bytes;
  if (auto note = gap_note(output.gap, "the output")) {
    result.notes.push_back(std::move(*note));
  }
  co_return result;
}

}  // namespace terminally
