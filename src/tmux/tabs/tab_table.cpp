#include "tmux/tabs/tab_table.hpp"

#include <algorithm>
#include <set>

#include "instance/tab_ids.hpp"
#include "system/proc.hpp"

namespace terminally {

TabTable::TabTable(const Instance& instance, const Config& config, TabChanges& changes)
    : instance_(instance), config_(config), changes_(changes) {}

std::vector<TabPtr> TabTable::list() const {
  std::vector<TabPtr> tabs;
  tabs.reserve(tabs_.size());
  for (const auto& [window, tab] : tabs_) {
    tabs.push_back(tab);
  }
  return tabs;
}

std::size_t TabTable::open() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(tabs_, [](const auto& entry) { return !entry.second->closed; }));
}

TabPtr TabTable::find(WindowId window) const {
  const auto found = tabs_.find(window);
  return found == tabs_.end() ? nullptr : found->second;
}

TabPtr TabTable::take(const PaneRow& row, RowsOf of) {
  const WindowId window = *row.tab;
  TabPtr& tab = tabs_[window];
  if (!tab || tab->server_pid != of.server_pid || tab->pane != row.pane) {
    tab = std::make_shared<Tab>(window, row.pane, home_of(instance_, of.generation, window), of.server_pid);
    tab->for_person = config_.guest;
    if (config_.guest) {
      tab->canceller = config_.stays ? Canceller::browser : Canceller::command_line;
    }
    next_number_ = std::max(next_number_, window.number + 1);
    note_used_id(instance_.state(), window);  // where that fails, its log tells as long as it is there
    others_.notice(*tab);
    changes_.came_or_went();
  }
  if (tab->pane_pid.pid != row.pane_pid || tab->pane_pid.start_ticks == 0) {
    const auto pane = process_info(row.pane_pid);
    tab->pane_pid = pane ? pane->id() : ProcessId{row.pane_pid, 0};
  }
  tab->tty = row.tty;
  tab->cols = row.cols;
  tab->rows = row.rows;
  tab->alternate = row.alternate;
  tab->person_types = row.person_types;
  tab->closed = false;
  tab->tmux_window = row.window;
  tab->tmux_session = row.session;
  tab->name = row.name;
  tab->active = row.window_active;
  return tab;
}

void TabTable::take_all(const std::vector<PaneRow>& rows, const std::vector<TabPtr>& asked_about, RowsOf of) {
  std::map<WindowId, PaneRow> own;
  std::set<PaneId> alive;
  for (const PaneRow& row : rows) {
    alive.insert(row.pane);
    if (row.tab) {
      const auto [found, fresh] = own.emplace(*row.tab, row);
      if (!fresh &&
          std::pair(row.pane, !row.in_tabs) < std::pair(found->second.pane, !found->second.in_tabs)) {
        found->second = row;
      }
    }
  }
  for (const auto& [window, row] : own) {
    take(row, of);
  }
  for (const TabPtr& tab : asked_about) {
    tab->closed = tab->closed || !alive.contains(tab->pane);
  }
}

TabPtr TabTable::take_closed(WindowId window, std::uint32_t generation) {
  return tabs_.emplace(window, std::make_shared<Tab>(window, home_of(instance_, generation, window)))
      .first->second;
}

void TabTable::keep_open_only_of(int server_pid) {
  for (const auto& [window, tab] : tabs_) {
    tab->closed = tab->closed || tab->server_pid != server_pid;
  }
}

void TabTable::forget_closed() {
  std::erase_if(tabs_,
                [](const auto& entry) { return entry.second->closed && entry.second.use_count() == 1; });
}

bool notice_if_closed(Tab& tab) {
  if (!tab.closed) {
    tab.closed = !is_alive(tab.pane_pid);
    // Of a tmux that died who clears up after it has removed them: they may be of the next one's pane by now.
    if (tab.closed && is_alive(tab.server_pid)) {
      tab.files.remove_locks();
    }
  }
  return tab.closed;
}

}  // namespace terminally
