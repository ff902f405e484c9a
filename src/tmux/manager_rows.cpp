// The tabs as the tmux server tells them: a row for each pane.

#include <map>
#include <optional>
#include <string>

#include "base/error.hpp"
#include "tmux/manager_impl.hpp"
#include "tmux/proc.hpp"

namespace terminally {

TmuxManager::Impl::TabPtr TmuxManager::Impl::take_row(const PaneRow& row, WindowId window) {
  TabPtr& tab = tabs_[window];
  if (!tab || tab->server_pid != server_pid_ || tab->pane != row.pane) {
    tab = std::make_shared<Tab>(window, row.pane, instance_, generation_, server_pid_);
    tab->for_person = config_.guest;
    next_id_ = std::max(next_id_, window.number + 1);
    if (!config_.guest) {
      note_used_id(instance_.state(), window);  // where that fails, its log tells as long as it is there
    }
    const auto latest = tab->records.latest();
    tab->last_exit = latest ? latest->exit_code.value_or(0) : 0;
    tab_came_or_went();
  }
  if (tab->pane_pid.pid != row.pane_pid || tab->pane_pid.start_ticks == 0) {
    const auto pane = process_info(row.pane_pid);
    tab->pane_pid = pane ? pane->id() : ProcessId{row.pane_pid, 0};
  }
  tab->tty = row.tty;
  tab->cols = row.cols;
  tab->typed_into = row.typed_into;
  tab->closed = false;
  tab->tmux_window = row.window;
  tab->tmux_session = row.session;
  tab->name = row.name;
  tab->active = row.window_active;
  guard_writer(row);
  return tab;
}

/// A pane has a row for each session that its window is in. `asked_about`: the tabs that were known when tmux
/// was asked; one that was opened while its answer was under way is not in it.
void TmuxManager::Impl::take_rows(const std::vector<PaneRow>& rows, const std::vector<TabPtr>& asked_about) {
  std::map<WindowId, PaneRow> own;
  std::map<PaneId, bool> alive;
  for (const PaneRow& row : rows) {
    alive[row.pane] = true;
    session_ = row.in_tabs ? row.session : session_;
    if (row.tab) {
      const auto [found, fresh] = own.emplace(*row.tab, row);
      if (!fresh &&
          std::pair(row.pane, !row.in_tabs) < std::pair(found->second.pane, !found->second.in_tabs)) {
        found->second = row;
      }
    }
  }
  for (const auto& [window, row] : own) {
    take_row(row, window);
  }
  for (const PaneRow& row : rows) {
    guard_writer(row);  // also of what a person split off
  }
  std::erase_if(writer_guards_, [&alive](const auto& guard) {
    return !alive.contains(guard.first) && !is_alive(guard.second.pane_pid);
  });
  for (const TabPtr& tab : asked_about) {
    tab->closed = tab->closed || !alive.contains(tab->pane);
  }
}

TmuxManager::Awaitable<void> TmuxManager::Impl::refresh_tabs() {
  co_await attach_to_running_server();
  co_await list_panes();
}

TmuxManager::Awaitable<void> TmuxManager::Impl::list_panes() {
  if (server_pid_ == 0) {
    co_return;
  }
  std::vector<TabPtr> asked_about;
  asked_about.reserve(tabs_.size());
  for (const auto& [window, tab] : tabs_) {
    asked_about.push_back(tab);
  }
  const int asked = server_pid_;
  const TmuxClient server = tmux();
  const std::optional<std::string> answer = co_await answer_unless_gone(server.query(ask_for_panes()));
  if (server_pid_ == asked) {  // else all of these are closed, and the next server is asked again
    take_rows(parse_pane_rows(answer.value_or("")), asked_about);
  }
}

}  // namespace terminally
