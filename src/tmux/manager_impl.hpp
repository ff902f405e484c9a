#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "base/answer_by.hpp"
#include "base/background.hpp"
#include "base/error.hpp"
#include "base/event.hpp"
#include "base/keyed_mutex.hpp"
#include "base/process_watch.hpp"
#include "tmux/busy.hpp"
#include "tmux/call_time.hpp"
#include "tmux/client.hpp"
#include "tmux/command_run.hpp"
#include "tmux/instance.hpp"
#include "tmux/log_watch.hpp"
#include "tmux/manager.hpp"
#include "tmux/process_table.hpp"
#include "tmux/rows.hpp"
#include "tmux/tab.hpp"
#include "tmux/text_worker.hpp"
#include "tmux/window_options.hpp"

namespace terminally {

/// The manager's parts, a file each: manager_server.cpp (the tmux server), manager_tabs.cpp,
/// manager_close.cpp (the end of a tab), manager_places.cpp (which tab a command runs in),
/// manager_commands.cpp (begun and waited for), manager_settle.cpp
/// (those that nobody looks after), manager_stop.cpp, manager_input.cpp (text and keys, the screen),
/// manager_results.cpp, manager_logs.cpp, manager_search.cpp, manager_waits.cpp, manager_watchdog.cpp (the
/// writers of the logs).
class TmuxManager::Impl {
 public:
  Impl(boost::asio::any_io_executor executor, Config config);
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl();

  Awaitable<std::vector<TabInfo>> list_tabs();
  Awaitable<CreatedTab> create_tab(CreateTab request);
  Awaitable<ClosedTab> close_tab(WindowId window, bool force);
  Awaitable<void> rename_tab(WindowId window, std::string name);
  Awaitable<void> set_history_limit(std::uint32_t limit);
  Awaitable<void> shut_down();
  Awaitable<void> look_after_running();

  Awaitable<CommandResult> execute(ExecuteCommand request, OutputCallback on_output);
  Awaitable<StartedProcess> start_process(StartProcess request);
  Awaitable<StoppedProcess> stop_process(WindowId window, StopSignal signal);
  Awaitable<CommandResult> command_state(QueryCommand request, CallTime time);
  Awaitable<CancelledCommand> cancel_command(WindowId window, bool force, TextView view,
                                             std::uint64_t max_output_bytes);
  Awaitable<void> end_command(WindowId window, std::string command_id);

  Awaitable<Waited> wait_for(WaitFor request, CallTime time);

  Awaitable<SentInput> send_text(SendText request);
  Awaitable<SentInput> send_keys(SendKeys request);
  Awaitable<OfferedKeys> offer_keys(WindowId window, std::string typed);
  Awaitable<TabScreen> read_screen(ReadScreen request);

  Awaitable<LogLines> read_lines(WindowId window, std::uint64_t lines, TextView view);
  Awaitable<LogChunk> read_chunk(ReadLogChunk request, CallTime time);
  Awaitable<FoundLines> search_logs(SearchLogs request);
  Awaitable<TabList> tabs_now();
  Awaitable<TabList> other_tabs(TabList known, TabNews news);
  Awaitable<void> wait_for_command(WindowId window, std::string command_id);
  Awaitable<std::optional<WindowId>> tab_named(std::string name);
  [[nodiscard]] std::string files_directory() const { return instance_.runtime(); }
  std::vector<Variable> new_tab_variables(const std::vector<std::string>& names);

  /// Of a call without a time-out of its own.
  [[nodiscard]] CallTime call_time() const { return CallTime(config_.sync_window_ms); }
  [[nodiscard]] CallTime time_of(const WaitFor& request) const;
  [[nodiscard]] CallTime time_of(const ReadLogChunk& request) const;

  /// What `work` answers if it does by the end of the call's time. Throws Error(tmux_timeout) else, and
  /// `work` goes on.
  template <typename T>
  Awaitable<T> within_call_time(Awaitable<T> work, CallTime time) {
    std::optional<T> answer = co_await answer_by(time.last_moment(), std::move(work));
    if (!answer) {
      throw out_of_time(time);
    }
    co_return std::move(*answer);
  }
  template <typename T>
  Awaitable<T> within_call_time(Awaitable<T> work) {
    return within_call_time(std::move(work), call_time());
  }

  /// For the calls that run a command: one that named a busy tab is told that it could go beside it.
  template <typename T>
  Awaitable<T> told_of_other_tabs(bool named, Awaitable<T> work) {
    try {
      T answer = co_await std::move(work);
      co_return answer;
    } catch (const BusyTab& busy) {
      if (!named) {
        throw;
      }
      throw or_beside(busy, config_.guest);
    }
  }

 private:
  using TabPtr = std::shared_ptr<Tab>;
  using RunPtr = std::shared_ptr<CommandRun>;

  // The server and its tabs.
  Awaitable<void> attach_to_running_server();
  Awaitable<void> restore_socket();
  void restore_log_directory() const;
  Awaitable<void> own_instance();
  Awaitable<std::optional<std::string>> new_window(Argv window_options);
  Awaitable<std::string> new_session(std::string name, WindowOptions options, bool start_server);
  Awaitable<std::string> open_window(WindowOptions options);
  void watch_server();
  Awaitable<void> end_of_server();
  Awaitable<void> clear_up_lost_server();
  void settle_generation(std::uint32_t generation);
  Awaitable<void> refresh_tabs();
  Awaitable<void> list_panes();
  /// Who reaches the tmux server that we know of, or a tab's, and no later one.
  [[nodiscard]] TmuxClient tmux() const { return client_.of_server(server_pid_); }
  [[nodiscard]] TmuxClient tmux_of(const Tab& tab) const { return client_.of_server(tab.server_pid); }
  void forget_closed_tabs();
  [[nodiscard]] bool server_alive() const;
  [[nodiscard]] Awaitable<bool> server_ends() const;
  /// What the tmux server answers; nullopt when it, or what was asked for, is gone. What says nothing of the
  /// tabs (no answer in time, no descriptor left, a client that was killed) is thrown.
  [[nodiscard]] Awaitable<std::optional<std::string>> answer_unless_gone(Awaitable<std::string> asked) const;
  /// No guard: its time was over first.
  [[nodiscard]] Awaitable<AsyncMutex::Guard> turn_at_tmux(std::shared_ptr<AsyncMutex> mutex,
                                                          Clock::time_point give_up_at);
  TabPtr take_row(const PaneRow& row, WindowId window);
  void take_rows(const std::vector<PaneRow>& rows, const std::vector<TabPtr>& asked_about);
  /// The tab, open or closed. Throws Error(not_found).
  Awaitable<TabPtr> find_tab(WindowId window);
  /// An open tab. Throws Error(not_found or tab_closed).
  Awaitable<TabPtr> open_tab(WindowId window);
  bool notice_if_closed(Tab& tab);
  Awaitable<std::vector<Survivor>> end_processes(Tab& tab, bool force);
  Awaitable<void> close_pane(TabPtr tab);

  void guard_writer(const PaneRow& row);

  struct TabWaiter;
  void tell_tab_waiters();
  void tab_came_or_went();

  // Commands.
  /// The tab that a command runs in, and the turn in it.
  struct Place {
    TabPtr tab;
    KeyedMutex<WindowId>::Guard guard;
    FileLock reserved;  ///< the tab's lock, where the caller named no tab: other processes choose, too
    std::string note;   ///< why it is not the tab "main"; empty when the caller named the tab
  };
  /// A call that runs a command in the tab it names, from its arrival on.
  class CallForTab {
   public:
    CallForTab(std::shared_ptr<std::multiset<WindowId>> calls, std::optional<WindowId> window)
        : calls_(std::move(calls)), place_(window ? calls_->insert(*window) : calls_->end()) {}
    CallForTab(const CallForTab&) = delete;
    CallForTab& operator=(const CallForTab&) = delete;
    ~CallForTab() {
      if (place_ != calls_->end()) {
        calls_->erase(place_);
      }
    }

   private:
    std::shared_ptr<std::multiset<WindowId>> calls_;  // a call may be put away after the manager
    std::multiset<WindowId>::iterator place_;
  };
  Awaitable<Place> place_for(std::optional<WindowId> window, CallTime time);
  Awaitable<Place> choose_place(std::optional<WindowId> window, CallTime time);
  Awaitable<Place> place_without_name(CallTime time);
  struct MainTabs {
    TabPtr main;  ///< none: it is made on first use
    std::vector<TabPtr> helpers;
  };
  MainTabs main_tabs();
  Awaitable<FileLock> turn_to_choose(CallTime time);
  std::optional<FileLock> reserve(const TabPtr& tab);
  Awaitable<Place> place_in_idle(TabPtr tab, FileLock reserved);
  Awaitable<TabPtr> take_new_tab(const PaneRow& row, const std::string& name);
  Awaitable<Place> place_in_new_tab(CreateTab create);
  Awaitable<Place> place_in_helper(MainTabs known, CallTime time);
  Awaitable<void> go_to(Place& place, std::string directory, CallTime time);
  Awaitable<AsyncMutex::Guard> search_turn();
  Awaitable<KeyedMutex<WindowId>::Guard> turn_in_tab(WindowId window, CallTime time);
  struct WaitInCall {
    Clock::time_point until;
    Clock::time_point unanswered_until;  ///< for one that may not have begun
    Clock::time_point answerable_until;  ///< later, there is no time to answer
    bool return_at_input = true;
    std::function<void(const AwaitingInput&)> on_awaiting = nullptr;
    std::shared_ptr<TextGuard> guard = nullptr;
  };
  struct Meanwhile {
    bool nested_shell_ready = false;
    std::optional<AwaitingInput> awaiting;
    bool was_waiting = false;  ///< for the keyboard, at the last look
  };
  [[nodiscard]] Error out_of_time(CallTime time) const;
  [[nodiscard]] std::string what_held_up(CallTime time) const;
  Awaitable<Meanwhile> wait_in_call(TabPtr tab, RunPtr run, WaitInCall wait);
  struct Begin {
    std::string command;
    std::string who;
    Clock::time_point deadline = Clock::time_point::max();
    OutputCallback on_output = nullptr;
    FileLock reserved = {};  // NOLINT(readability-redundant-member-init): g++ wants it named
  };
  Awaitable<RunPtr> begin(TabPtr tab, CallTime time, Begin what);
  /// On return the tab's lock is held, `reserved` or another, unless a nested shell is what has it.
  Awaitable<void> refuse_if_busy(TabPtr tab, CallTime time, FileLock reserved = {});
  Awaitable<void> refuse_unless_nested(Tab& tab, CallTime time);
  /// Looks after the commands of a tab that no process looks after: those that have ended since are recorded,
  /// the others followed. Costs next to nothing where there are none. A guest only records what has ended.
  void look_after(const TabPtr& tab);
  // The keyboard.
  Awaitable<bool> paste(const Tab& tab, const std::string& text);
  Awaitable<bool> takes_lines(const Tab& tab, const Foreground& shell);
  Awaitable<void> type(const Tab& tab, std::string commands);
  Awaitable<void> paste_text(const Tab& tab, const std::string& text, bool bracketed, bool enter,
                             std::string unless = {});
  Awaitable<OfferedKeys> type_for(const Tab& tab, std::string typed, std::string nonce);
  Awaitable<void> paste_for_reader(const Tab& tab, std::string text, bool bracketed, bool enter);
  Awaitable<KeyedMutex<WindowId>::Guard> lock_for_typing(const TabPtr& tab, CallTime time);
  struct Start {
    Event over;
    std::exception_ptr failure;
    boost::asio::cancellation_signal cancel;
  };
  Awaitable<void> calls_before_typed(TabPtr tab);
  Awaitable<std::optional<CancelledCommand>> cancel_foreground(TabPtr tab, bool force, CallTime time);
  Awaitable<CancelledCommand> cancel_elsewhere(TabPtr tab, QueryCommand query, bool force, CallTime time);
  [[nodiscard]] Reason whose_cancel() const;
  void follow(const RunPtr& run);
  /// How output is shown to the call that asks for it.
  struct ShowOutput {
    TextView view;
    std::uint64_t max_bytes = 0;
    Clock::time_point by;  ///< what is no text then is read by its offsets
  };
  struct ShownOutput {
    std::string text;
    std::uint64_t omitted_bytes = 0;
    std::vector<std::string> notes;
  };
  Awaitable<ShownOutput> show(TabPtr tab, OutputRange range, ShowOutput how);
  Awaitable<CommandResult> result_of(TabPtr tab, RunPtr run, ShowOutput how);
  Awaitable<CommandResult> result_of(TabPtr tab, CommandRecord record, ShowOutput how);

  boost::asio::any_io_executor executor_;
  Config config_;
  bool durable_;
  Instance instance_;
  TmuxClient client_;
  LogWatch watch_;
  ProcessWatch server_watch_;
  ProcessTable processes_;
  RunContext run_context_;
  TextWorker text_worker_;

  FileLock owner_lock_;
  std::uint32_t generation_ = 0;  ///< of the tmux server, or of the last one; 0: there was none yet
  int server_pid_ = 0;            ///< 0: no tmux server that we know of
  std::string session_;           ///< tmux's id of the one that new tabs come into, or came
  std::map<WindowId, TabPtr> tabs_;
  std::uint32_t next_id_ = 0;  ///< higher than all that we have seen
  std::vector<std::weak_ptr<TabWaiter>> tab_waiters_;
  std::uint64_t tab_changes_ = 0;  // TabList::changes
  KeyedMutex<WindowId> tab_mutex_;
  std::shared_ptr<std::multiset<WindowId>> tab_calls_ = std::make_shared<std::multiset<WindowId>>();
  std::shared_ptr<AsyncMutex> opening_window_ = std::make_shared<AsyncMutex>();
  std::shared_ptr<AsyncMutex> attaching_ = std::make_shared<AsyncMutex>();
  std::shared_ptr<AsyncMutex> searching_ = std::make_shared<AsyncMutex>();
  std::shared_ptr<AsyncMutex> restoring_socket_ = std::make_shared<AsyncMutex>();
  std::shared_ptr<AsyncMutex> choosing_tab_ =
      std::make_shared<AsyncMutex>();  ///< for a command that names none

  struct WriterGuard {
    int pane_pid;
    Background guard;
  };
  std::map<PaneId, WriterGuard> writer_guards_;
  std::optional<Background> log_keeper_;
  TabVariables tab_variables_;
  Clock::time_point no_server_until_;  ///< known not to be there: new_tab_variables() looks again then
};

}  // namespace terminally
