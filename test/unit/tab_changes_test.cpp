#include "tab/tab_info.hpp"

#include <doctest/doctest.h>

using namespace terminally;

namespace {

TabInfo tab(std::uint32_t number, const std::string& name) {
  TabInfo info;
  info.window_id = WindowId{number};
  info.name = name;
  return info;
}

}  // namespace

TEST_CASE("tab changes: who asked for news is told, each by itself, as often as there are any") {
  TabChanges changes;
  changes.came_or_went();
  const auto first = changes.news();
  const auto second = changes.news();
  CHECK_FALSE(first->is_set());  // what was before is no news
  changes.came_or_went();
  CHECK(first->is_set());
  CHECK(second->is_set());
  first->clear();
  CHECK(second->is_set());
  changes.differs();
  CHECK(first->is_set());
  CHECK(changes.count() == 2);  // only what came or went counts
}

TEST_CASE("tab changes: who asks for no more news is forgotten") {
  TabChanges changes;
  const std::weak_ptr<Event> given_up = changes.news();
  CHECK(given_up.expired());
  changes.came_or_went();
  CHECK(changes.count() == 1);
}

TEST_CASE("tab changes: what is news") {
  TabList known;
  known.open = {tab(1, "main"), tab(2, "logs")};
  known.changes = 5;
  TabList now = known;
  CHECK(same_tabs(known, now, TabNews::any));

  now.open[1].last_output_at_ms = 1;  // of its log, not of the tab
  CHECK(same_tabs(known, now, TabNews::any));

  now.open[1].name = "other";
  CHECK(same_tabs(known, now, TabNews::come_and_gone));
  CHECK_FALSE(same_tabs(known, now, TabNews::any));

  now = known;
  now.open.pop_back();
  CHECK_FALSE(same_tabs(known, now, TabNews::come_and_gone));

  now = known;
  now.changes = 7;  // one came and went in between
  CHECK_FALSE(same_tabs(known, now, TabNews::come_and_gone));
}
