// Lists, opens, names, closes and watches tabs.

#include <signal.h>

#include <algorithm>
#include <boost/asio.hpp>

#include "base/error.hpp"
#include "base/files.hpp"
#include "log/log_end.hpp"
#include "system/log_watch.hpp"
#include "tab/escalation.hpp"
#include "tab/tab_processes.hpp"
#include "tab/window_size.hpp"
#include "tmux/manager.hpp"
#include "tmux/server/call_times.hpp"
#include "tmux/tabs/commands.hpp"
#include "tmux/tabs/tab_chooser.hpp"
#include "tmux/tabs/tab_look.hpp"
#include "tmux/tabs/tabs.hpp"
#include "tmux/tabs/window_options.hpp"

namespace terminally {
namespace {

/// Without the time that the machine stood still, which is not counted.
constexpr Milliseconds kEndProcessesWithin{2'000};
/// A tab that prints all the time must not have us ask tmux all the time.
constexpr Milliseconds kBetweenPaneLooks{200};

int signal_of(Pressure pressure) {
  return pressure == Pressure::kill ? SIGKILL : pressure == Pressure::terminate ? SIGTERM : SIGHUP;
}

/// HUP, TERM, KILL over 2 s, for what runs in the tab; by force also for what was detached from it: that
/// left its session, but carries its tag or its cookie, or ignores SIGHUP.
Awaitable<std::vector<Survivor>> end_processes(ProcessTable& table, Tab& tab, bool force) {
  TabProcesses processes(table, tab);
  co_await processes.look();
  // Comes first, so that terminally-shell starts no other shell in place of one that is killed.
  signal_process(tab.pane_pid, SIGHUP);
  Escalation escalation(kEndTab, force, Clock::now());
  const auto is_left = [&](const SeenProcess& process) {
    return !force && !processes.why_detached(process).empty();
  };
  for (bool ends = true; ends && escalation.elapsed() < kEndProcessesWithin;) {
    escalation.look(Clock::now());
    ends = false;
    for (const auto& [pid, process] : processes.seen()) {
      const bool is_to_end = !is_left(process);
      ends = ends || is_to_end;
      if (is_to_end && escalation.is_due(pid)) {
        signal_process(process.info.id(), signal_of(escalation.pressure()));
      }
    }
    if (ends) {
      co_await sleep_for(Milliseconds(10));
      co_await processes.look();
    }
  }
  std::vector<Survivor> survivors;
  for (const auto& [pid, process] : processes.seen()) {
    survivors.push_back(
        survivor(process.info, is_left(process) ? processes.why_detached(process) : kNotEnded));
  }
  co_return survivors;
}

/// What a person split off goes with the tab; another tab that they put beside it stays.
Awaitable<void> close_pane(TmuxClient tmux, TabPtr tab) {
  try {
    const std::string answer = co_await tmux.query(ask_for_panes());
    const std::vector<PaneRow> rows = parse_pane_rows(answer);
    const bool shared = std::ranges::any_of(rows, [&tab](const PaneRow& row) {
      return row.window == tab->tmux_window && row.tab && row.tab != tab->window;
    });
    const std::string what =
        shared ? "kill-pane -t " + quote(to_string(tab->pane)) : "kill-window -t " + quote(tab->tmux_window);
    co_await tmux.change(what);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::tmux_timeout) {
      throw;
    }
  }
}

Awaitable<ClosedTab> end_tab(const TabCalls::Parts& parts, WindowId window, bool force) {
  const TabPtr tab = co_await parts.tabs.find_open(window);
  const TmuxClient tmux = parts.tabs.client_of(*tab);
  if (!co_await tmux.answers()) {
    throw Error(ErrorCode::tmux_timeout,
                "tmux does not answer (its server is stopped or overloaded); the tab was left as it is");
  }
  // From here on it is closed to the end, whatever becomes of the call: what is half ended has no tab any
  // more by which it could be reached.
  co_await boost::asio::this_coro::reset_cancellation_state(boost::asio::disable_cancellation());
  tab->closing = true;
  parts.chooser.forget_main(window);
  if (const auto nonce = tab->files.running_nonce()) {
    tab->files.unmark_running(*nonce);  // no new shell in its place
  }
  ClosedTab closed;
  closed.survivors = co_await end_processes(parts.processes, *tab, force);
  // The pane's own process ends with its shell; tmux then reads what is left in the terminal and closes the
  // window.
  const auto deadline = Clock::now() + Milliseconds(500);
  while (!notice_if_closed(*tab) && Clock::now() < deadline) {
    co_await sleep_for(Milliseconds(5));
  }
  if (!tab->closed) {
    signal_process(tab->pane_pid, SIGKILL);
  }
  co_await wait_for_log_end(tab->log, Clock::now() + kLogEndsWithin);
  co_await close_pane(tmux, tab);
  tab->closed = true;
  tab->files.remove_locks();
  parts.tabs.changes().came_or_went();
  for (const RunPtr& run : std::vector(tab->runs)) {
    co_await run->output().catch_up();
    run->ending().give_up(Reason::tab_closed);
  }
  closed.closed = true;
  co_return closed;
}

/// nullopt: no open tab has that name. Throws Error(invalid_argument) when several have.
Awaitable<std::optional<WindowId>> find_by_name(const TabCalls::Parts& parts, std::string name) {
  co_await parts.tabs.refresh();
  if (const auto id = parse_window_id(name)) {
    co_return id;
  }
  std::optional<WindowId> found;
  for (const auto& [window, tab] : parts.tabs.known()) {
    if (notice_if_closed(*tab) || tab->name != name) {
      continue;
    }
    if (found) {
      throw Error(ErrorCode::invalid_argument, "window_id: " + several_tabs_named(name, *found, window));
    }
    found = window;
  }
  co_return found;
}

Awaitable<void> give_name(const TabCalls::Parts& parts, WindowId window, std::string name) {
  if (name.empty()) {
    throw Error(ErrorCode::invalid_argument, "name: must not be empty");
  }
  check_tab_name(name);
  const TabPtr tab = co_await parts.tabs.find_open(window);
  const TmuxClient server = parts.tabs.client_of(*tab);
  co_await server.change("rename-window -t " + quote(to_string(tab->pane)) + " -- " +
                         quote(format_literal(name)));
  tab->name = name;
  parts.tabs.changes().differs();
}

/// `how` is for tmux: resize-window.
Awaitable<void> change_size(const TabCalls::Parts& parts, WindowId window, std::vector<std::string> how) {
  const TabPtr tab = co_await parts.tabs.find_open(window);
  const TmuxClient server = parts.tabs.client_of(*tab);
  std::string commands;
  for (const std::string& one : how) {
    commands += (commands.empty() ? "" : " ; ") + ("resize-window -t " + quote(to_string(tab->pane))) + one;
  }
  co_await server.change(std::move(commands));
  parts.tabs.changes().differs();
}

Awaitable<void> limit_history(const TabCalls::Parts& parts, std::uint32_t limit) {
  co_await parts.tabs.attach();
  if (parts.server.pid() != 0) {
    const TmuxClient server = parts.server.client();
    co_await server.change("set-option -g history-limit " + std::to_string(limit));
  }
  parts.config.history_limit = limit;
}

/// nullopt: one has lost its process since tmux was asked, which may have given it another.
std::optional<std::vector<TabInfo>> look_at_tabs(const TabCalls::Parts& parts, bool again) {
  std::vector<TabInfo> infos;
  infos.reserve(parts.tabs.known().size());
  RunningMarks marks;
  for (const auto& [window, tab] : parts.tabs.known()) {
    if (tab->closed) {
      continue;
    }
    std::optional<TabInfo> info = info_at_rest(*tab, marks);
    if (!info) {
      const Foreground foreground = look_at_foreground(tab->pane_pid);
      if (foreground.kind == Foreground::Kind::nothing && notice_if_closed(*tab)) {
        if (!again) {
          return std::nullopt;
        }
        continue;
      }
      parts.commands.look_after(tab);
      info = info_of(*tab, foreground);
    }
    infos.push_back(std::move(*info));
  }
  return infos;
}

Awaitable<std::vector<TabInfo>> open_tabs(const TabCalls::Parts& parts) {
  co_await parts.tabs.refresh();
  std::optional<std::vector<TabInfo>> infos = look_at_tabs(parts, false);
  if (!infos) {
    co_await parts.tabs.list_panes();
    infos = look_at_tabs(parts, true);
  }
  co_return std::move(*infos);
}

}  // namespace

Awaitable<CreatedTab> TabCalls::create(CreateTab request) {
  return parts_.times.within_call_time(parts_.tabs.create(std::move(request)));
}

bool TabCalls::knows(WindowId tab) const {
  return parts_.tabs.known().contains(tab);
}

Awaitable<std::optional<WindowId>> TabCalls::named(std::string name) {
  return parts_.times.within_call_time(find_by_name(parts_, std::move(name)));
}

std::optional<TabFace> TabCalls::face(WindowId window, SettledInput* input) {
  const auto found = parts_.tabs.known().find(window);
  if (found == parts_.tabs.known().end() || found->second->closed) {
    return std::nullopt;
  }
  const Tab& tab = *found->second;
  TabFace face{.cols = tab.cols, .rows = tab.rows, .alternate = tab.alternate, .awaiting = std::nullopt};
  if (input != nullptr) {
    face.awaiting = input->look_again(tab);
  }
  return face;
}

/// Without a server that we know of, one of an earlier terminally-mcp may run, which the call under way is
/// about to find.
std::vector<Variable> TabCalls::new_variables(const std::vector<std::string>& names, TabVariables& told) {
  constexpr Milliseconds kServerLook{100};
  int server = parts_.server.pid();
  if (server == 0 && parts_.server.owner().durable() && Clock::now() >= no_server_until_) {
    server = parts_.server.instance().server_pid();
    no_server_until_ = Clock::now() + (server == 0 ? kServerLook : Milliseconds(0));
  }
  return server == 0 ? std::vector<Variable>() : told.news(server, names);
}

/// A look that fails is begun again by the next who waits for it.
Awaitable<std::vector<TabInfo>> TabCalls::shared_look() {
  if (!next_look_) {
    next_look_ = std::make_shared<Look>();
  }
  const std::shared_ptr<Look> own = next_look_;
  const auto arrived = Clock::now();
  const AsyncMutex::Guard turn = co_await looking_->lock();
  if (next_look_ == own) {
    next_look_.reset();
  }
  if (!*own) {
    parts_.server.client().refuse_if_timed_out_since(arrived);
    *own = co_await open_tabs(parts_);
  }
  co_return **own;
}

Awaitable<std::vector<TabInfo>> TabCalls::list() {
  return parts_.times.within_call_time(shared_look());
}

Awaitable<void> TabCalls::rename(WindowId tab, std::string name) {
  return parts_.times.within_call_time(give_name(parts_, tab, std::move(name)));
}

Awaitable<void> TabCalls::resize(WindowId tab, std::uint64_t cols, std::uint64_t rows) {
  if (cols < kLeastSize.cols || cols > kMostSize.cols || rows < kLeastSize.rows || rows > kMostSize.rows) {
    throw Error(ErrorCode::invalid_argument,
                "cols, rows: " + std::to_string(cols) + " x " + std::to_string(rows) +
                    " is no size of a tab, which is " + std::to_string(kLeastSize.cols) + " x " +
                    std::to_string(kLeastSize.rows) + " to " + std::to_string(kMostSize.cols) + " x " +
                    std::to_string(kMostSize.rows));
  }
  std::vector<std::string> how = {" -x " + std::to_string(cols) + " -y " + std::to_string(rows)};
  return parts_.times.within_call_time(change_size(parts_, tab, std::move(how)));
}

Awaitable<void> TabCalls::redraw(WindowId tab) {
  std::vector<std::string> how = {" -U 1", " -D 1"};
  return parts_.times.within_call_time(change_size(parts_, tab, std::move(how)));
}

Awaitable<void> TabCalls::set_history_limit(std::uint32_t limit) {
  return parts_.times.within_call_time(limit_history(parts_, limit));
}

Awaitable<ClosedTab> TabCalls::close(WindowId tab, bool force) {
  return parts_.times.within_call_time(end_tab(parts_, tab, force));
}

Awaitable<TabList> TabCalls::now() {
  TabList now;
  now.open = co_await open_tabs(parts_);
  now.changes = parts_.tabs.changes().count();
  co_return now;
}

/// What others do is seen by the logs: a window that a person opens gets one in the command list that opens
/// it, and its writer closes it when the window is gone.
Awaitable<TabList> TabCalls::others(TabList known, TabNews news) {
  const std::shared_ptr<Event> news_came = parts_.tabs.changes().news();
  const LogEvents events = news == TabNews::come_and_gone ? LogEvents::begin_and_end : LogEvents::all;
  for (;;) {
    std::optional<LogWatch::Watch> watch;
    if (parts_.server.generation() != 0) {
      watch = parts_.log_watch.watch_logs(parts_.server.logs(), events, [news_came] { news_came->set(); });
    }
    // Until something else has needed the tabs, there is no server of ours to ask, or none that we know of.
    TabList now;
    if (parts_.server.generation() != 0) {
      now = co_await this->now();
    }
    if (!same_tabs(known, now, news)) {
      co_return now;
    }
    co_await news_came->wait();
    news_came->clear();
    if (news == TabNews::any) {
      co_await sleep_for(kBetweenPaneLooks);
    }
  }
}

}  // namespace terminally
