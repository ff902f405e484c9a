#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/event.hpp"
#include "tab/tab_info.hpp"

namespace terminally {

/// Counts how often tabs came or went, and tells watchers. Tabs that we open or close are reported directly,
/// because before the first tab there is no directory of logs to watch.
class TabChanges {
 public:
  /// TabList::changes.
  [[nodiscard]] std::uint64_t count() const { return count_; }

  /// An event that is set at each change from now on. The watcher clears the event, and holds it as long as
  /// it watches.
  [[nodiscard]] std::shared_ptr<Event> news();

  void came_or_went();
  /// Reports that something of a tab changed, but no tab came or went.
  void differs();

 private:
  std::uint64_t count_ = 0;
  std::vector<std::weak_ptr<Event>> told_;
};

/// Whether two lists are the same to a watcher for this kind of news.
[[nodiscard]] bool same_tabs(const TabList& a, const TabList& b, TabNews news);

}  // namespace terminally
