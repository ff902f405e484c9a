#include "tmux/manager.hpp"

#include "tmux/manager_impl.hpp"

namespace terminally {

std::string_view to_string(CommandState state) {
  switch (state) {
    case CommandState::running:
      return "running";
    case CommandState::completed:
      return "completed";
    case CommandState::cancelled:
      return "cancelled";
    case CommandState::failed:
      break;
  }
  return "failed";
}

std::string_view to_string(Reason reason) {
  switch (reason) {
    case Reason::none:
      break;
    case Reason::timeout:
      return "timeout";
    case Reason::cancelled_by_client:
      return "cancelled_by_client";
    case Reason::interrupted_in_tab:
      return "interrupted_in_tab";
    case Reason::shell_exited:
      return "shell_exited";
    case Reason::tab_closed:
      return "tab_closed";
    case Reason::tmux_server_lost:
      return "tmux_server_lost";
    case Reason::no_shell_answered:
      return "no_shell_answered";
    case Reason::handed_over:
      return "handed_over";
    case Reason::awaiting_input:
      return "awaiting_input";
  }
  return "";
}

namespace {

TmuxManager::Awaitable<bool> done(TmuxManager::Awaitable<void> work) {
  co_await std::move(work);
  co_return true;
}

}  // namespace

TmuxManager::TmuxManager(boost::asio::any_io_executor executor, Config config)
    : impl_(std::make_unique<Impl>(std::move(executor), std::move(config))) {}
TmuxManager::~TmuxManager() = default;

template <typename T>
using Awaitable = TmuxManager::Awaitable<T>;

Awaitable<std::vector<TabInfo>> TmuxManager::list_tabs() {
  return impl_->within_call_time(impl_->list_tabs());
}
Awaitable<CreatedTab> TmuxManager::create_tab(CreateTab request) {
  return impl_->within_call_time(impl_->create_tab(std::move(request)));
}
Awaitable<ClosedTab> TmuxManager::close_tab(WindowId tab, bool force) {
  return impl_->within_call_time(impl_->close_tab(tab, force));
}
Awaitable<void> TmuxManager::rename_tab(WindowId tab, std::string name) {
  co_await impl_->within_call_time(done(impl_->rename_tab(tab, std::move(name))));
}
Awaitable<CommandResult> TmuxManager::execute(ExecuteCommand request, OutputCallback on_output) {
  const bool named = request.window_id.has_value();
  return impl_->told_of_other_tabs(named, impl_->execute(std::move(request), std::move(on_output)));
}
Awaitable<StartedProcess> TmuxManager::start_process(StartProcess request) {
  const bool named = request.window_id.has_value();
  return impl_->told_of_other_tabs(named, impl_->start_process(std::move(request)));
}
Awaitable<StoppedProcess> TmuxManager::stop_process(WindowId tab, StopSignal signal) {
  return impl_->within_call_time(impl_->stop_process(tab, signal));
}
Awaitable<CommandResult> TmuxManager::command_state(QueryCommand request) {
  const CallTime time = impl_->call_time();
  return impl_->within_call_time(impl_->command_state(std::move(request), time), time);
}
Awaitable<CancelledCommand> TmuxManager::cancel_command(WindowId tab, bool force, TextView view,
                                                        std::uint64_t max_output_bytes) {
  return impl_->within_call_time(impl_->cancel_command(tab, force, std::move(view), max_output_bytes));
}
Awaitable<void> TmuxManager::end_command(WindowId tab, std::string command_id) {
  return impl_->end_command(tab, std::move(command_id));
}
Awaitable<SentInput> TmuxManager::send_text(SendText request) {
  return impl_->within_call_time(impl_->send_text(std::move(request)));
}
Awaitable<SentInput> TmuxManager::send_keys(SendKeys request) {
  return impl_->within_call_time(impl_->send_keys(std::move(request)));
}
Awaitable<OfferedKeys> TmuxManager::offer_keys(WindowId tab, std::string typed) {
  return impl_->within_call_time(impl_->offer_keys(tab, std::move(typed)));
}
Awaitable<TabScreen> TmuxManager::read_screen(ReadScreen request) {
  return impl_->within_call_time(impl_->read_screen(std::move(request)));
}
Awaitable<LogLines> TmuxManager::read_lines(WindowId tab, std::uint64_t lines, TextView view) {
  return impl_->within_call_time(impl_->read_lines(tab, lines, std::move(view)));
}
Awaitable<LogChunk> TmuxManager::read_chunk(ReadLogChunk request) {
  const CallTime time = impl_->time_of(request);
  return impl_->within_call_time(impl_->read_chunk(std::move(request), time), time);
}
Awaitable<Waited> TmuxManager::wait_for(WaitFor request) {
  const CallTime time = impl_->time_of(request);
  return impl_->within_call_time(impl_->wait_for(std::move(request), time), time);
}
Awaitable<TabList> TmuxManager::tabs_now() {
  return impl_->tabs_now();
}
Awaitable<TabList> TmuxManager::other_tabs(TabList known, TabNews news) {
  return impl_->other_tabs(std::move(known), news);
}
Awaitable<void> TmuxManager::wait_for_command(WindowId tab, std::string command_id) {
  return impl_->wait_for_command(tab, std::move(command_id));
}
Awaitable<std::optional<WindowId>> TmuxManager::tab_named(std::string name) {
  return impl_->within_call_time(impl_->tab_named(std::move(name)));
}
Awaitable<void> TmuxManager::set_history_limit(std::uint32_t limit) {
  co_await impl_->within_call_time(done(impl_->set_history_limit(limit)));
}
std::string TmuxManager::files_directory() const {
  return impl_->files_directory();
}
std::vector<Variable> TmuxManager::new_tab_variables(const std::vector<std::string>& names) {
  return impl_->new_tab_variables(names);
}
Awaitable<void> TmuxManager::look_after_running() {
  return impl_->look_after_running();
}
Awaitable<void> TmuxManager::shut_down() {
  return impl_->shut_down();
}

}  // namespace terminally
