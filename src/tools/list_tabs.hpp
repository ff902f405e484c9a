#pragma once

#include <string>
#include <vector>

#include "tmux/manager.hpp"
#include "toolkit/results_json.hpp"

namespace terminally {

class TextGuard;

struct ListedTabs {
  std::vector<TabInfo> tabs;
  std::vector<std::string> notes;
};

void describe(ResultVisitor& v, const ListedTabs& result);

/// Shortens a list so that it fits into a message: directories may be as long as PATH_MAX, and the number of
/// tabs and the length of their names have no limit. `guard` may be null: then nothing is masked.
void shorten(ListedTabs& result, TextGuard* guard);

}  // namespace terminally
