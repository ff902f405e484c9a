// Tabs: found, opened, renamed. The tmux server that has them is in manager_server.cpp.

#include <signal.h>

#include <boost/asio.hpp>
#include <cerrno>
#include <exception>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/utf8.hpp"
#include "tmux/manager_impl.hpp"
#include "tmux/proc.hpp"
#include "tmux/server_config.hpp"
#include "tmux/shell_end.hpp"
#include "tmux/window_options.hpp"

namespace terminally {
namespace {

constexpr int kMostSessionNames = 10;

bool is_taken(const Error& error) {
  return error.code() == ErrorCode::tmux_failed &&
         std::string_view(error.what()).starts_with("tmux: duplicate session");
}

/// It is there at once, so that a person can tail it.
void make_log(const std::filesystem::path& path) {
  try {
    append_file(path, "");
  } catch (const Error& error) {
    throw Error(error.code(),
                std::string(error.what()) +
                    ". No tab can be opened without its log; those that are open (list_tabs) still run "
                    "commands by their window_id. Make the place writable, or give another --state-dir");
  }
}

}  // namespace

TmuxManager::Impl::Impl(boost::asio::any_io_executor executor, Config config)
    : executor_(std::move(executor)),
      config_(std::move(config)),
      durable_(!config_.instance.empty()),
      instance_(config_, durable_ ? config_.instance : fresh_instance_name()),
      client_(config_.tmux, instance_.socket(), instance_.tmux_config(),
              Milliseconds(config_.tmux_deadline_ms)),
      watch_(executor_),
      server_watch_(executor_),
      run_context_{executor_,
                   client_,
                   watch_,
                   [this] { return server_alive(); },
                   config_.helper_dir / "terminally-shell",
                   processes_} {
  if (!config_.guest) {
    client_.keep_spare(executor_);
  }
}

/// A command that is still looked after and its tab hold each other.
TmuxManager::Impl::~Impl() {
  for (const auto& [window, tab] : tabs_) {
    tab->runs.clear();
  }
}

/// In the session of the tabs, whatever a person calls it by now; nullopt when that is gone with its last
/// tab, or with the server.
TmuxManager::Awaitable<std::optional<std::string>> TmuxManager::Impl::new_window(Argv window_options) {
  restore_log_directory();
  for (int attempt = 0; attempt < 2 && !session_.empty(); ++attempt) {
    const TmuxClient server = tmux();
    std::optional<std::string> answer =
        co_await answer_unless_gone(server.change("new-window -d -t " + quote(session_ + ":") + " -P -F " +
                                                  quote(kNewPaneFormat) + " " + quote_all(window_options)));
    const bool gone =
        !answer || (answer->empty() && co_await server_ends());  // it died over it: the client ends well
    if (!gone) {
      co_return answer;
    }
    session_.clear();
    co_await list_panes();
  }
  co_return std::nullopt;
}

/// In the session of the tabs, or in one that is made for it. A person may have one of its name; or another
/// makes it at this moment: what a server asked of tmux is done although it was killed.
TmuxManager::Awaitable<std::string> TmuxManager::Impl::open_window(WindowOptions options) {
  for (int attempt = 1;; ++attempt) {
    co_await attach_to_running_server();
    const bool had_server = server_pid_ != 0;
    if (had_server) {
      std::optional<std::string> answer = co_await new_window(options.words);
      if (answer) {
        co_return std::move(*answer);
      }
    }
    const bool no_server = !had_server || co_await server_ends();
    const std::string name =
        attempt == 1 ? std::string(kSession) : kSession + ("-" + std::to_string(attempt));
    try {
      co_return co_await new_session(name, options, no_server);
    } catch (const Error& error) {
      if (attempt == kMostSessionNames || !is_taken(error)) {
        throw;
      }
    }
    co_await list_panes();  // where another has made it, it is ours
  }
}

TmuxManager::Awaitable<CreatedTab> TmuxManager::Impl::create_tab(CreateTab request) {
  refuse_without_proc();  // first: without it not even our own helpers can be found
  const WindowOptions options = window_options(config_, request);
  const auto guard = co_await turn_at_tmux(opening_window_, Clock::time_point::max());
  const std::string answer = co_await open_window(options);
  const std::vector<PaneRow> rows = parse_pane_rows(answer);
  if (rows.empty() || !rows.front().tab) {
    throw Error(ErrorCode::tmux_failed, "tmux answered new-window with \"" + to_valid_utf8(answer) + "\"");
  }
  session_ = rows.front().session;
  const TabPtr tab = co_await take_new_tab(rows.front(), options.name);
  CreatedTab created{tab->window, options.name, tab->log.path().string()};
  co_return created;
}

/// All or nothing: a tab that cannot be told of is closed again.
TmuxManager::Awaitable<TmuxManager::Impl::TabPtr> TmuxManager::Impl::take_new_tab(const PaneRow& row,
                                                                                  const std::string& name) {
  const WindowId window = *row.tab;
  std::exception_ptr failure;
  try {
    const TabPtr tab = take_row(row, window);
    tab->name = name;
    tab->opened = Clock::now();
    make_log(tab->log.path());
  } catch (const std::exception&) {
    failure = std::current_exception();
  }
  if (!failure) {
    co_return tabs_.at(window);
  }
  try {
    const TmuxClient server = tmux();
    co_await server.change("kill-window -t " + quote(row.window));
  } catch (const Error&) {  // NOLINT(bugprone-empty-catch): the first failure is the one to tell
  }
  tabs_.erase(window);
  tab_came_or_went();
  std::rethrow_exception(failure);
}

/// nullopt: no open tab has that name. Throws Error(invalid_argument) when several have.
TmuxManager::Awaitable<std::optional<WindowId>> TmuxManager::Impl::tab_named(std::string name) {
  co_await refresh_tabs();
  std::optional<WindowId> found;
  for (const auto& [window, tab] : tabs_) {
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

/// Without a server that we know of, one of an earlier terminally-mcp may run, which the call under way is
/// about to find.
std::vector<Variable> TmuxManager::Impl::new_tab_variables(const std::vector<std::string>& names) {
  constexpr Milliseconds kServerLook{100};
  int server = server_pid_;
  if (server == 0 && durable_ && Clock::now() >= no_server_until_) {
    server = instance_.server_pid();
    no_server_until_ = Clock::now() + (server == 0 ? kServerLook : Milliseconds(0));
  }
  return server == 0 ? std::vector<Variable>() : tab_variables_.news(server, names);
}

bool TmuxManager::Impl::notice_if_closed(Tab& tab) {
  if (!tab.closed) {
    tab.closed = !is_alive(tab.pane_pid);
    if (tab.closed) {
      remove_file(tab.files.lock_path());  // its pane's number comes once
    }
  }
  return tab.closed;
}

TmuxManager::Awaitable<TmuxManager::Impl::TabPtr> TmuxManager::Impl::find_tab(WindowId window) {
  if (server_pid_ != 0) {
    co_await restore_socket();
  }
  auto found = tabs_.find(window);
  if (found == tabs_.end()) {
    const auto generation = generation_of(instance_, window);  // before tmux is asked: it may just be opened
    co_await refresh_tabs();
    found = tabs_.find(window);
    if (found == tabs_.end() && generation) {
      // Closed before we came: its log is still there.
      found = tabs_.emplace(window, std::make_shared<Tab>(window, instance_, *generation)).first;
    }
  }
  if (found == tabs_.end()) {
    throw Error(ErrorCode::not_found, config_.guest ? "there is no tab " + to_string(window) +
                                                          "; `terminally-mcp ls` lists those there are"
                                                    : "window_id: there is no tab " + to_string(window) +
                                                          "; list_tabs names those there are");
  }
  if (!notice_if_closed(*found->second)) {
    restore_log_directory();
  }
  co_return found->second;
}

TmuxManager::Awaitable<TmuxManager::Impl::TabPtr> TmuxManager::Impl::open_tab(WindowId window) {
  TabPtr tab = co_await find_tab(window);
  if (tab->closed) {
    throw Error(ErrorCode::tab_closed,
                config_.guest
                    ? "tab " + to_string(window) + " " + why_closed(*tab) + "; `terminally-mcp tail " +
                          to_string(window) + "` shows what it printed"
                    : "window_id: tab " + to_string(window) + " " + why_closed(*tab) +
                          "; its log and last result can still be read, for anything else create_tab");
  }
  co_return tab;
}

TmuxManager::Awaitable<std::vector<TabInfo>> TmuxManager::Impl::list_tabs() {
  co_await refresh_tabs();
  std::vector<TabInfo> infos;
  for (const auto& [window, tab] : tabs_) {
    if (notice_if_closed(*tab)) {
      continue;
    }
    look_after(tab);
    const Foreground foreground = look_at_foreground(tab->pane_pid);
    TabInfo info;
    info.window_id = window;
    info.name = tab->name;
    info.active = tab->active;
    info.cwd = process_cwd(foreground.pid != 0 ? foreground.pid : foreground.shell_pid);
    info.foreground = foreground.name;
    const bool at_a_shell =
        foreground.kind == Foreground::Kind::shell || foreground.kind == Foreground::Kind::nested;
    // What a shell does is read from two files of /proc, one after the other: twice, it is so.
    const auto reads = [&] { return prompt_state(foreground, tab->tty) == Prompt::reads_keyboard; };
    bool reading = reads();
    reading = reading && reads();
    info.busy = !at_a_shell || reading ||
                (foreground.kind == Foreground::Kind::shell &&
                 (tab->runs.empty() ? tab->files.running_nonce().has_value()
                                    : !tab->runs.back()->opened(foreground)));
    info.tmux_window = tab->tmux_window;
    info.tmux_session = tab->tmux_session;
    info.log_path = tab->log.path().string();
    try {
      const PaneLog::Extent extent = tab->log.extent();
      info.log_bytes = extent.end;
      info.log_gap_bytes = extent.gap.bytes;
      info.log_gap_unknown = extent.gap.unknown;
    } catch (const Error&) {
      info.log_gap_unknown = true;  // who reads it is told why it cannot be read; the other tabs are well
    }
    info.last_output_at_ms = info.log_bytes > 0 ? modified_ms(tab->log.path()) : 0;
    infos.push_back(std::move(info));
  }
  co_return infos;
}

TmuxManager::Awaitable<void> TmuxManager::Impl::rename_tab(WindowId window, std::string name) {
  if (name.empty()) {
    throw Error(ErrorCode::invalid_argument, "name: must not be empty");
  }
  check_tab_name(name);
  const TabPtr tab = co_await open_tab(window);
  const TmuxClient server = tmux_of(*tab);
  co_await server.change("rename-window -t " + quote(to_string(tab->pane)) + " -- " +
                         quote(format_literal(name)));
  tab->name = name;
  tell_tab_waiters();
}

}  // namespace terminally
