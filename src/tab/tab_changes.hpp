#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/event.hpp"
#include "tab/tab_info.hpp"

namespace terminally {

/// How often tabs came or went, and who is to be told. Tabs of our own making and ending are told directly:
/// before the first one there is no directory of logs to watch.
class TabChanges {
 public:
  /// TabList::changes.
  [[nodiscard]] std::uint64_t count() const { return count_; }

  /// Is set at each change from now on, for as long as somebody holds it. Who has seen it clears it.
  [[nodiscard]] std::shared_ptr<Event> news();

  void came_or_went();
  /// Something of a tab changed, but none came or went.
  void differs();

 private:
  std::uint64_t count_ = 0;
  std::vector<std::weak_ptr<Event>> told_;
};

/// Whether two lists are the same to a watcher for this kind of news.
[[nodiscard]] bool same_tabs(const TabList& a, const TabList& b, TabNews news);

}  // namespace terminally
