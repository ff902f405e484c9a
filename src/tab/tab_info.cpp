// Counts the tabs that came or went, and wakes the watchers.

#include "tab/tab_info.hpp"

#include <algorithm>

namespace terminally {

namespace {

bool same_command(const std::optional<LastCommand>& a, const std::optional<LastCommand>& b) {
  return a.has_value() == b.has_value() &&
         (!a ||
          (a->started_at_ms == b->started_at_ms && a->text == b->text && a->state == b->state &&
           a->exit_code == b->exit_code && a->awaiting_input.has_value() == b->awaiting_input.has_value()));
}

bool same_tab(const TabInfo& a, const TabInfo& b, TabNews news) {
  if (a.window_id != b.window_id) {
    return false;
  }
  return news == TabNews::come_and_gone ||
         (a.name == b.name && a.active == b.active && a.cwd == b.cwd && a.foreground == b.foreground &&
          a.busy == b.busy && same_command(a.command, b.command));
}

}  // namespace

bool same_tabs(const TabList& a, const TabList& b, TabNews news) {
  return a.changes == b.changes &&
         std::ranges::equal(a.open, b.open,
                            [news](const TabInfo& x, const TabInfo& y) { return same_tab(x, y, news); });
}

std::shared_ptr<Event> TabChanges::news() {
  std::erase_if(told_, [](const auto& event) { return event.expired(); });
  auto event = std::make_shared<Event>();
  told_.emplace_back(event);
  return event;
}

void TabChanges::came_or_went() {
  ++count_;
  differs();
}

void TabChanges::differs() {
  for (const auto& weak : told_) {
    if (const auto event = weak.lock()) {
      event->set();
    }
  }
}

}  // namespace terminally
