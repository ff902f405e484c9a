#include "tmux/tabs/tabs.hpp"

#include <algorithm>
#include <boost/asio.hpp>
#include <cstdio>
#include <exception>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/utf8.hpp"
#include "command/command_run.hpp"
#include "instance/tab_ids.hpp"
#include "system/proc.hpp"
#include "tab/terminal_signals.hpp"
#include "tmux/server/lost_server.hpp"
#include "tmux/server/server_config.hpp"
#include "tmux/tabs/window_options.hpp"

namespace terminally {
namespace {

namespace asio = boost::asio;

constexpr int kMostAttempts = 10;
/// tmux tells nobody what a hook of a person does, nor of windows that were swapped with another session's,
/// and of nothing while such a hook waits. That is seen by then.
constexpr Milliseconds kUntoldSeenWithin{1'000};

bool is_taken(const Error& error) {
  return error.code() == ErrorCode::tmux_failed &&
         std::string_view(error.what()).starts_with("tmux: duplicate session");
}

std::function<void(const TabPtr&)> if_possible(std::function<void(const TabPtr&)> look_after) {
  return [look_after = std::move(look_after)](const TabPtr& tab) {
    try {
      look_after(tab);
    } catch (const Error& error) {
      std::fprintf(stderr, "terminally-mcp: tab %s: %s\n", to_string(tab->window).c_str(), error.what());
    }
  };
}

/// Makes the log at once, and not with its first byte, so that a person can tail it.
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

/// As the hook does that opens each window, which knows the server's size only.
Awaitable<void> resize(TmuxClient tmux, TabPtr tab, const Config& config, CreateTab request) {
  const std::uint64_t cols = request.cols.value_or(config.cols);
  co_await tmux.change("resize-window -t " + quote(to_string(tab->pane)) + " -x " + std::to_string(cols) +
                       " -y " + std::to_string(request.rows.value_or(config.rows)));
  tab->cols = static_cast<int>(cols);
}

}  // namespace

Tabs::Tabs(boost::asio::any_io_executor executor, const Config& config, TmuxServer& server,
           std::function<void(const TabPtr&)> look_after)
    : executor_(std::move(executor)),
      config_(config),
      server_(server),
      look_after_(if_possible(std::move(look_after))),
      table_(server_.instance(), config_, changes_),
      writers_(executor_, config_) {
  server_.on_end([this] { asio::co_spawn(executor_, end_of_server(), asio::detached); });
  server_.client().on_news([this] { changes_.differs(); });
}

Tabs::~Tabs() {
  server_.client().on_news(nullptr);
  for (const TabPtr& tab : table_.list()) {
    tab->runs.clear();
  }
}

/// A durable instance, or one that we are a guest of, may have a server already. Where it has none any more,
/// the logs of its last one can still be read.
Awaitable<void> Tabs::attach() {
  refuse_without_proc();
  if (server_.pid() != 0 || server_.owner().durable()) {
    co_await server_.owner().restore_socket(server_.pid());
  }
  if (server_.pid() != 0 || !server_.owner().durable()) {
    co_return;
  }
  const auto turn = co_await server_.turn(attaching_, Clock::time_point::max());
  if (server_.pid() != 0) {
    co_return;
  }
  const bool found = co_await server_.find();
  if (!found) {
    co_return;
  }
  table_.keep_open_only_of(server_.pid());
  std::exception_ptr failure;
  try {
    co_await list_panes();
  } catch (...) {
    failure = std::current_exception();
  }
  if (failure) {
    server_.let_go();  // not attached: the next try looks after its commands
    std::rethrow_exception(failure);
  }
  co_await look_after_each(table_.list());
}

Awaitable<void> Tabs::look_after_each(std::vector<TabPtr> tabs) {
  for (const TabPtr& tab : tabs) {
    look_after_(tab);
    co_await asio::post(executor_, asio::use_awaitable);
  }
}

Awaitable<void> Tabs::look_after_all(bool fresh) {
  if (fresh) {
    listed_.reset();  // the writers of all logs are to be seen to
  }
  co_await refresh();
  std::vector<TabPtr> open = table_.list();
  std::erase_if(open,
                [](const TabPtr& tab) { return notice_if_closed(*tab); });  // others may be at those yet
  co_await look_after_each(std::move(open));
  if (fresh && server_.pid() != 0) {
    co_await server_.use_our_helpers();
  }
}

Awaitable<void> Tabs::refresh() {
  co_await attach();
  const bool current = co_await is_current();
  if (!current) {
    co_await list_panes();
  }
}

/// Whether tmux would say again what it said last. It tells of no pane that was given another process: before
/// that, one was seen to have lost its own.
Awaitable<bool> Tabs::is_current() {
  if (server_.pid() == 0 || !listed_ || table_.open() != listed_->open ||
      Clock::now() - listed_->when >= kUntoldSeenWithin) {
    co_return false;
  }
  const TmuxClient tmux = server_.client();
  try {
    co_return co_await tmux.has_no_news_since(listed_->news, server_.session(), listed_->untold);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::tmux_timeout) {
      throw;
    }
  }
  co_return false;
}

Awaitable<void> Tabs::list_panes() {
  if (server_.pid() == 0) {
    co_return;
  }
  const std::vector<TabPtr> asked_about = table_.list();
  const int asked = server_.pid();
  const TmuxClient tmux = server_.client();
  const auto news = tmux.news();
  const auto when = Clock::now();
  listed_.reset();
  const std::optional<std::string> answer = co_await server_.answer_unless_gone(tmux.query(ask_for_panes()));
  if (server_.pid() != asked) {
    co_return;  // all of these are closed, and the next server is asked again
  }
  const std::vector<PaneRow> rows = parse_pane_rows(answer.value_or(""));
  take_rows(rows, asked_about);
  const auto active = std::ranges::find_if(
      rows, [this](const PaneRow& row) { return row.window_active && row.session == server_.session(); });
  if (news && active != rows.end() && is_told_of(rows)) {
    listed_ = {*news, table_.open(), untold(*active), when};
  }
}

/// Whether all that may change about them is told of, or counted (kUntold): not in which window of another
/// session people are.
bool Tabs::is_told_of(const std::vector<PaneRow>& rows) const {
  return std::ranges::all_of(
      rows, [this](const PaneRow& row) { return !row.tab || row.session == server_.session(); });
}

void Tabs::take_rows(const std::vector<PaneRow>& rows, const std::vector<TabPtr>& asked_about) {
  const TmuxClient tmux = server_.client();
  for (const PaneRow& row : rows) {
    if (row.in_tabs) {
      server_.use_session(row.session);
    }
    if (server_.owner().keeps()) {
      writers_.guard(row, server_.logs(), tmux);  // also of what a person split off
    }
  }
  writers_.keep_only(rows);
  table_.take_all(rows, asked_about, now());
}

Awaitable<TabPtr> Tabs::find(WindowId window) {
  if (server_.pid() != 0) {
    co_await server_.owner().restore_socket(server_.pid());
  }
  TabPtr tab = table_.find(window);
  if (!tab) {
    const auto generation =
        generation_of(server_.instance(), window);  // before tmux is asked: it may just be opened
    co_await refresh();
    tab = table_.find(window);
    if (!tab && generation) {
      tab = table_.take_closed(window, *generation);
    }
  }
  if (!tab) {
    throw Error(ErrorCode::not_found, config_.guest ? "there is no tab " + to_string(window) +
                                                          "; `terminally-mcp ls` lists those there are"
                                                    : "window_id: there is no tab " + to_string(window) +
                                                          "; list_tabs names those there are");
  }
  if (!notice_if_closed(*tab)) {
    server_.owner().restore_log_directory(server_.generation());
    table_.others().notice(*tab);
  }
  co_return tab;
}

Awaitable<TabPtr> Tabs::find_open(WindowId window) {
  TabPtr tab = co_await find(window);
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

/// In the session of the tabs; nullopt when that is gone with its last tab, or with the server.
Awaitable<std::optional<std::string>> Tabs::new_window(Argv words) {
  server_.owner().restore_log_directory(server_.generation());
  for (int attempt = 0; attempt < 2 && !server_.session().empty(); ++attempt) {
    std::optional<std::string> answer = co_await terminally::open_window(server_, words);
    if (answer) {
      co_return answer;
    }
    server_.use_session("");
    co_await list_panes();
  }
  co_return std::nullopt;
}

/// The session with its first window, in a server that is started with it, or in one that has lost its last
/// tab. nullopt: that one is gone, or another process has started one.
Awaitable<std::optional<Tabs::Opened>> Tabs::new_session(std::string name, NewWindow window,
                                                         StartingLock lock) {
  std::optional<Opened> opened;
  if (server_.pid() != 0 && server_.alive()) {
    std::optional<std::string> row =
        co_await open_session(server_, config_, std::move(name), std::move(window));
    if (row) {
      opened.emplace(std::move(*row), std::move(lock));
    }
    co_return opened;
  }
  lock.release();
  std::optional<StartingLock> alone = co_await server_.owner().own_to_start();
  co_await lose_server(alone.has_value());
  if (!alone) {
    co_return opened;
  }
  const auto turn = co_await server_.turn(
      attaching_, Clock::time_point::max());  // it listens before we know its generation
  std::string row = co_await start_server(server_, config_, name, window, table_.next_number());
  table_.forget_closed();
  opened.emplace(std::move(row), std::move(*alone));
  co_return opened;
}

/// In the session of the tabs, or in one that is made for it. A person may have one of its name; or another
/// makes it at this moment: what a server asked of tmux is done although it was killed. A server that dies
/// over it is no answer: the next one is started.
Awaitable<Tabs::Opened> Tabs::open_window(NewWindow window) {
  std::string name = kSession;
  for (int attempt = 1;; ++attempt) {
    co_await attach();
    StartingLock lock;
    if (server_.pid() != 0) {
      lock = co_await server_.owner().lock_to_open();
      std::optional<std::string> answer = co_await new_window(window.words);
      if (answer) {
        co_return Opened(std::move(*answer), std::move(lock));
      }
    }
    try {
      std::optional<Opened> opened = co_await new_session(name, window, std::move(lock));
      if (opened) {
        co_return std::move(*opened);
      }
      if (attempt == kMostAttempts) {
        throw Error(ErrorCode::tmux_failed, "tmux: its server ended again and again; nothing was opened");
      }
    } catch (const Error& error) {
      if (attempt == kMostAttempts || !is_taken(error)) {
        throw;
      }
      name = kSession + ("-" + std::to_string(attempt + 1));
    }
    co_await list_panes();  // where another has made it, it is ours
  }
}

Awaitable<CreatedTab> Tabs::create(CreateTab request) {
  refuse_without_proc();  // first: without it not even our own helpers can be found
  const WindowOptions options = window_options(config_, request);
  NewWindow window{options.words, options.variables};
  const auto guard = co_await server_.turn(opening_window_, Clock::time_point::max());
  Opened opened = co_await open_window(std::move(window));
  const std::vector<PaneRow> rows = parse_pane_rows(opened.row);
  if (rows.empty() || !rows.front().tab) {
    throw Error(ErrorCode::tmux_failed,
                "tmux answered new-window with \"" + to_valid_utf8(opened.row) + "\"");
  }
  server_.use_session(rows.front().session);
  const TabPtr tab = co_await take_new_tab(rows.front(), options.name);
  opened.lock.release();
  if (request.cols || request.rows) {
    const TmuxClient tmux = server_.client_of(*tab);
    co_await resize(tmux, tab, config_, request);
  }
  CreatedTab created{tab->window, options.name, tab->log.path().string()};
  co_return created;
}

/// All or nothing: a tab that cannot be told of is closed again.
Awaitable<TabPtr> Tabs::take_new_tab(PaneRow row, std::string name) {
  const WindowId window = *row.tab;
  std::exception_ptr failure;
  try {
    const TabPtr tab = table_.take(row, now());
    if (server_.owner().keeps()) {
      writers_.guard(row, server_.logs(), server_.client());
    }
    tab->name = name;
    tab->shell.has_opened(Clock::now());
    make_log(tab->log.path());
  } catch (const std::exception&) {
    failure = std::current_exception();
  }
  if (!failure) {
    co_return table_.find(window);
  }
  try {
    const TmuxClient tmux = server_.client();
    co_await tmux.change("kill-window -t " + quote(row.window));
  } catch (const Error&) {  // NOLINT(bugprone-empty-catch): the first failure is the one to tell
  }
  table_.forget(window);
  changes_.came_or_went();
  std::rethrow_exception(failure);
}

Awaitable<void> Tabs::end_of_server() {
  const auto guard = co_await opening_window_->lock();
  if (server_.pid() != 0 && !server_.alive()) {
    const std::optional<StartingLock> alone = server_.owner().lock_to_clear_up();
    co_await lose_server(alone.has_value());
  }
}

/// After the tmux server's end; for whoever holds `opening_window_`. `alone`: with the StartingLock.
Awaitable<void> Tabs::lose_server(bool alone) {
  listed_.reset();
  server_.forget();
  writers_.forget_all();  // the next server's panes have the same numbers
  LostTabs lost = co_await end_lost_tabs(table_.list());
  changes_.came_or_went();
  if (alone) {
    const std::uint32_t generation =
        server_.generation() != 0 ? server_.generation() : server_.instance().newest_generation();
    co_await clear_up_lost_server(server_.instance(), generation, std::move(lost), look_after_);
  }
}

}  // namespace terminally
