#pragma once

#include <string>
#include <vector>

#include "tmux/manager.hpp"
#include "toolkit/results.hpp"

namespace terminally {

class TextGuard;

struct ListedTabs {
  std::vector<TabInfo> tabs;
  std::vector<std::string> notes;
};

void describe(ResultVisitor& v, const ListedTabs& result);

/// Makes it fit into a message, whatever is in it: directories have no limit but PATH_MAX, tabs none at all,
/// and names are whatever a person makes them. `guard` may be null: then nothing is masked.
void shorten(ListedTabs& result, TextGuard* guard);

}  // namespace terminally
