#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/awaitable.hpp"
#include "base/ids.hpp"
#include "base/keyed_mutex.hpp"
#include "config.hpp"
#include "tab/tab_info.hpp"
#include "tmux/server/log_writers.hpp"
#include "tmux/server/new_window.hpp"
#include "tmux/server/tmux_server.hpp"
#include "tmux/tabs/requests.hpp"
#include "tmux/tabs/tab_table.hpp"

namespace terminally {

/// The tabs of the tmux server: those there are, one more, and what is to be done when the server is lost.
/// Knows of commands only that the tabs have some, and that somebody looks after them.
class Tabs {
 public:
  /// `look_after` is called for each tab that may have commands which nobody looks after. `config` and
  /// `server` outlive it.
  Tabs(boost::asio::any_io_executor executor, const Config& config, TmuxServer& server,
       std::function<void(const TabPtr&)> look_after);
  Tabs(const Tabs&) = delete;
  Tabs& operator=(const Tabs&) = delete;
  /// A command that is still looked after and its tab hold each other: here they let go.
  ~Tabs();

  /// Those that are known, open and closed.
  [[nodiscard]] const std::map<WindowId, TabPtr>& known() const { return table_.all(); }
  [[nodiscard]] TabChanges& changes() { return changes_; }

  /// Finds the tmux server that runs already, if there is one, with its tabs.
  [[nodiscard]] Awaitable<void> attach();
  /// The same, and knows what tabs there are now: asks only where tmux has told of a change, or may have.
  [[nodiscard]] Awaitable<void> refresh();
  /// For the keeper of the instance (Keeper::Duties).
  [[nodiscard]] Awaitable<void> look_after_all(bool fresh);
  /// Who reaches the tmux server of a tab, and no later one.
  [[nodiscard]] TmuxClient client_of(const Tab& tab) const { return server_.client_of(tab); }
  /// Asks the tmux server that we know of; does nothing without one. Also tells where a person types just
  /// now.
  [[nodiscard]] Awaitable<void> list_panes();

  /// The tab, open or closed. Throws Error(not_found).
  [[nodiscard]] Awaitable<TabPtr> find(WindowId window);
  /// An open tab. Throws Error(not_found or tab_closed).
  [[nodiscard]] Awaitable<TabPtr> find_open(WindowId window);

  /// A new one; all or nothing. Starts a tmux server if there is none.
  [[nodiscard]] Awaitable<CreatedTab> create(CreateTab request);

  /// Nothing of it goes on by itself afterwards.
  void stop() { writers_.stop(); }

 private:
  [[nodiscard]] RowsOf now() const { return {server_.pid(), server_.generation()}; }
  Awaitable<bool> is_current();
  [[nodiscard]] bool is_told_of(const std::vector<PaneRow>& rows) const;
  void take_rows(const std::vector<PaneRow>& rows, const std::vector<TabPtr>& asked_about);
  Awaitable<TabPtr> take_new_tab(PaneRow row, std::string name);
  Awaitable<void> look_after_each(std::vector<TabPtr> tabs);
  Awaitable<std::optional<std::string>> new_window(Argv words);
  /// The row of a window that was opened, and the lock that is held until its number is noted.
  struct Opened {
    Opened(std::string its_row, StartingLock its_lock) : row(std::move(its_row)), lock(std::move(its_lock)) {}
    std::string row;
    StartingLock lock;
  };
  Awaitable<std::optional<Opened>> new_session(std::string name, NewWindow window, StartingLock lock);
  Awaitable<Opened> open_window(NewWindow window);
  Awaitable<void> end_of_server();
  Awaitable<void> lose_server(bool alone);

  boost::asio::any_io_executor executor_;
  const Config& config_;
  TmuxServer& server_;
  std::function<void(const TabPtr&)> look_after_;
  TabChanges changes_;
  TabTable table_;
  LogWriters writers_;
  struct Listed {
    std::uint64_t news = 0;
    std::size_t open = 0;  ///< tabs
    std::string untold;
    Clock::time_point when;
  };
  std::optional<Listed> listed_;  ///< as of when tmux was asked last; none: it is to be asked
  std::shared_ptr<AsyncMutex> attaching_ = std::make_shared<AsyncMutex>();
  std::shared_ptr<AsyncMutex> opening_window_ = std::make_shared<AsyncMutex>();
};

}  // namespace terminally
