// The tmux server and its tabs: found, opened, renamed.

#include <signal.h>

#include <boost/asio.hpp>
#include <cerrno>
#include <charconv>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/utf8.hpp"
#include "tmux/instance_end.hpp"
#include "tmux/manager_impl.hpp"
#include "tmux/proc.hpp"
#include "tmux/server_config.hpp"
#include "tmux/window_options.hpp"

namespace terminally {
namespace {

/// What `new-window -P -F` answers with: a row, the tmux server's pid and its generation before it.
constexpr const char* kServerFormat = "#{pid}\t#{@terminally_generation}";

}  // namespace

TmuxManager::Impl::Impl(boost::asio::any_io_executor executor, Config config)
    : executor_(std::move(executor)),
      config_(std::move(config)),
      durable_(!config_.instance.empty()),
      instance_(config_, durable_ ? config_.instance : fresh_instance_name()),
      client_(config_.tmux, instance_.socket(), instance_.tmux_config(),
              Milliseconds(config_.tmux_deadline_ms)),
      watch_(executor_),
      run_context_{executor_, client_, watch_, [this] { return server_alive(); },
                   config_.helper_dir / "terminally-shell"} {}

/// A command that is still looked after and its tab hold each other.
TmuxManager::Impl::~Impl() {
  for (const auto& [window, tab] : tabs_) {
    tab->runs.clear();
  }
}

bool TmuxManager::Impl::server_alive() const {
  const auto server = process_info(server_pid_);
  return server && server->state != 'Z';
}

/// A durable instance, or one that we are a guest of, may have a server already.
TmuxManager::Awaitable<void> TmuxManager::Impl::attach_to_running_server() {
  if (generation_ != 0 || !durable_ || !instance_.has_socket()) {
    co_return;
  }
  if (!owner_lock_ && !config_.guest) {
    owner_lock_ = instance_.own();
  }
  Argv command;
  for (const char* word : {"display-message", "-p", kServerFormat}) {
    command.emplace_back(word);
  }
  std::string answer;
  try {
    answer = co_await client_.query(std::move(command));
  } catch (const Error& error) {
    if (error.code() == ErrorCode::tmux_timeout) {
      throw;
    }
    co_return;  // a socket without a server
  }
  const std::size_t tab = answer.find('\t');
  if (tab != std::string::npos) {
    std::from_chars(answer.data(), answer.data() + tab, server_pid_);
    std::from_chars(answer.data() + tab + 1, answer.data() + answer.size(), generation_);
  }
}

/// The session with its first window, in a server that is started with it, or in one that has lost its last
/// tab.
TmuxManager::Awaitable<std::string> TmuxManager::Impl::new_session(Argv window_options, bool start_server) {
  const std::string format = std::string(kServerFormat) + "\t" + kPaneFormat;
  Argv command;
  for (const std::string& word :
       {std::string("new-session"), std::string("-d"), std::string("-s"), std::string(kSession),
        std::string("-x"), std::to_string(config_.cols), std::string("-y"), std::to_string(config_.rows),
        std::string("-P"), std::string("-F"), start_server ? format : std::string(kPaneFormat)}) {
    command.push_back(word);
  }
  command.insert(command.end(), window_options.begin(), window_options.end());
  if (!start_server) {
    // A server without a session has no target for the guard to run in; it has just answered.
    co_return co_await client_.start(std::move(command), tmux_environment(config_, instance_, generation_));
  }
  if (config_.guest) {
    throw Error(ErrorCode::not_found,
                "instance \"" + instance_.name() +
                    "\" has no tmux server any more; its own terminally-mcp starts it anew");
  }
  if (!owner_lock_) {
    owner_lock_ = instance_.own();
    if (!durable_) {
      mark_unnamed(instance_);
    }
    boost::asio::co_spawn(executor_, end_abandoned_instances(config_), boost::asio::detached);
  }
  generation_ = instance_.newest_generation() + 1;
  make_private_directory(instance_.generation(generation_));
  write_file(instance_.tmux_config(), tmux_config_text(config_, generation_));
  tabs_.clear();
  std::string answer;
  try {
    answer = co_await client_.start(std::move(command), tmux_environment(config_, instance_, generation_));
  } catch (const Error&) {
    generation_ = 0;
    throw;
  }
  std::from_chars(answer.data(), answer.data() + answer.size(), server_pid_);
  const std::size_t second_tab = answer.find('\t', answer.find('\t') + 1);
  co_return answer.substr(second_tab + 1);
}

TmuxManager::Awaitable<CreatedTab> TmuxManager::Impl::create_tab(CreateTab request) {
  const WindowOptions options = window_options(config_, request);
  const auto guard = co_await opening_window_->lock();
  co_await attach_to_running_server();
  std::string answer;
  bool no_session = generation_ == 0;
  bool no_server = no_session;
  if (!no_session) {
    try {
      answer = co_await client_.change(std::string("new-window -d -t ") + kSessionTarget + " -P -F " +
                                       quote(kPaneFormat) + " " + quote_all(options.words));
    } catch (const Error& error) {
      if (error.code() == ErrorCode::tmux_timeout) {
        throw;
      }
      no_session = true;  // the last tab was closed, or the server is gone
      no_server = error.code() != ErrorCode::not_found;
      if (no_server && server_alive()) {
        throw;
      }
    }
  }
  if (no_session) {
    answer = co_await new_session(options.words, no_server);
  }
  const std::vector<PaneRow> rows = parse_pane_rows(answer);
  if (rows.empty()) {
    throw Error(ErrorCode::tmux_failed, "tmux answered new-window with \"" + to_valid_utf8(answer) + "\"");
  }
  const TabPtr tab = take_row(rows.front());
  tab->name = options.name;
  append_file(tab->log.path(), "");  // so that a person can tail it at once
  CreatedTab created{tab->window, options.name, tab->log.path().string()};
  co_return created;
}

TmuxManager::Impl::TabPtr TmuxManager::Impl::take_row(const PaneRow& row) {
  TabPtr& tab = tabs_[row.window];
  if (!tab) {
    tab = std::make_shared<Tab>(row.window, row.pane, instance_, generation_);
    const auto latest = tab->records.latest();
    tab->last_exit = latest ? latest->exit_code.value_or(0) : 0;
    tell_tab_waiters();
  }
  if (tab->pane == row.pane) {
    tab->pane_pid = row.pane_pid;
    tab->tty = row.tty;
    tab->cols = row.cols;
  }
  tab->name = row.name;
  tab->active = row.window_active;
  guard_writer(row);
  return tab;
}

/// Rows come in the order of panes: the tab's own pane is the oldest of its window. `asked_about`: the tabs
/// that were known when tmux was asked; one that was opened while its answer was under way is not in it.
void TmuxManager::Impl::take_rows(const std::vector<PaneRow>& rows, const std::vector<TabPtr>& asked_about) {
  std::map<WindowId, PaneRow> oldest;
  std::map<PaneId, bool> alive;
  for (const PaneRow& row : rows) {
    alive[row.pane] = true;
    const auto [found, fresh] = oldest.emplace(row.window, row);
    if (!fresh && row.pane < found->second.pane) {
      found->second = row;
    }
  }
  for (const auto& [window, row] : oldest) {
    take_row(row);
  }
  for (const PaneRow& row : rows) {
    guard_writer(row);  // also of what a person split off
  }
  for (const TabPtr& tab : asked_about) {
    tab->closed = tab->closed || !alive.contains(tab->pane);
  }
}

TmuxManager::Awaitable<void> TmuxManager::Impl::refresh_tabs() {
  co_await attach_to_running_server();
  if (generation_ == 0) {
    co_return;
  }
  Argv command;
  for (const char* word : {"list-panes", "-s", "-t", kSessionTarget, "-F", kPaneFormat}) {
    command.emplace_back(word);
  }
  std::vector<TabPtr> asked_about;
  for (const auto& [window, tab] : tabs_) {
    asked_about.push_back(tab);
  }
  std::string answer;
  try {
    answer = co_await client_.query(std::move(command));
  } catch (const Error& error) {
    if (error.code() == ErrorCode::tmux_timeout) {
      throw;
    }
  }
  take_rows(parse_pane_rows(answer), asked_about);
}

bool TmuxManager::Impl::notice_if_closed(Tab& tab) {
  if (!tab.closed) {
    const auto pane = process_info(tab.pane_pid);
    // Not readable for a moment (no descriptor left) is not gone.
    tab.closed = pane ? pane->state == 'Z' : (::kill(tab.pane_pid, 0) != 0 && errno == ESRCH);
  }
  return tab.closed;
}

TmuxManager::Awaitable<TmuxManager::Impl::TabPtr> TmuxManager::Impl::find_tab(WindowId window) {
  auto found = tabs_.find(window);
  if (found == tabs_.end()) {
    co_await refresh_tabs();
    found = tabs_.find(window);
  }
  if (found == tabs_.end() && generation_ != 0) {
    // Closed before we came: its log is still there.
    auto tab = std::make_shared<Tab>(window, PaneId{}, instance_, generation_);
    std::error_code error;
    if (std::filesystem::exists(tab->log.path(), error)) {
      tab->closed = true;
      tabs_[window] = tab;
      co_return tab;
    }
  }
  if (found == tabs_.end()) {
    throw Error(ErrorCode::not_found,
                "window_id: there is no tab " + to_string(window) + "; list_tabs names those there are");
  }
  notice_if_closed(*found->second);
  co_return found->second;
}

TmuxManager::Awaitable<TmuxManager::Impl::TabPtr> TmuxManager::Impl::open_tab(WindowId window) {
  TabPtr tab = co_await find_tab(window);
  if (tab->closed) {
    throw Error(ErrorCode::tab_closed,
                "window_id: tab " + to_string(window) +
                    " is closed; its log and last result can still be read, for anything else create_tab");
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
    settle_ended(*tab);
    const Foreground foreground = look_at_foreground(tab->pane_pid);
    TabInfo info;
    info.window_id = window;
    info.name = tab->name;
    info.active = tab->active;
    info.cwd = process_cwd(foreground.pid);
    info.foreground = foreground.name;
    const bool at_a_shell =
        foreground.kind == Foreground::Kind::shell || foreground.kind == Foreground::Kind::nested;
    info.busy = !at_a_shell || (foreground.kind == Foreground::Kind::shell &&
                                (!tab->runs.empty() || tab->files.running_nonce()));
    info.log_path = tab->log.path().string();
    const PaneLog::Extent extent = tab->log.extent();
    info.log_bytes = extent.end;
    info.log_gap_bytes = extent.gap_bytes;
    info.log_gap_unknown = extent.gap_unknown;
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
  co_await client_.change("rename-window -t " + quote(to_string(window)) + " -- " +
                          quote(format_literal(name)));
  tab->name = name;
  tell_tab_waiters();
}

TmuxManager::Awaitable<void> TmuxManager::Impl::set_history_limit(std::uint32_t limit) {
  co_await attach_to_running_server();
  if (generation_ != 0) {
    co_await client_.change("set-option -g history-limit " + std::to_string(limit));
  }
  config_.history_limit = limit;
}

}  // namespace terminally
