#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <functional>
#include <map>
#include <memory>
#include <optional>

#include "base/awaitable.hpp"
#include "base/background.hpp"
#include "base/event.hpp"
#include "system/log_watch.hpp"
#include "system/process_watch.hpp"
#include "tmux/server/instance_owner.hpp"

namespace terminally {

/// Knows when the keeper of a named instance (InstanceOwner) has something to do for all its servers, without
/// a call: as it becomes the keeper, when tabs come and go, when a server has ended. In a process that is not
/// the keeper it does nothing. It waits for news, and looks at nothing in between.
class Keeper {
 public:
  /// Sees to the log writers of all tabs and to the commands that nobody looks after; `fresh`: for the first
  /// time, in place of another. What it throws is dropped: the next call says what is wrong.
  using Duties = std::function<Awaitable<void>(bool fresh)>;

  /// Both outlive it. `tabs`: is set when tabs come, go or change.
  Keeper(boost::asio::any_io_executor executor, InstanceOwner& owner, LogWatch& log_watch,
         std::shared_ptr<Event> tabs, Duties duties);
  Keeper(const Keeper&) = delete;
  Keeper& operator=(const Keeper&) = delete;

  /// There may be something to do.
  void wake();
  /// Returns once a tmux server listens, or has just done so, whoever starts it. Looks at nothing meanwhile.
  [[nodiscard]] Awaitable<void> wait_for_tmux() const;
  /// Nothing of it goes on by itself afterwards.
  void stop();

 private:
  Awaitable<void> keep();
  Awaitable<void> hear_of_tabs();
  void watch_others();

  boost::asio::any_io_executor executor_;
  InstanceOwner& owner_;
  LogWatch& log_watch_;
  std::shared_ptr<Event> tabs_;
  Duties duties_;
  bool fresh_ = false;
  std::optional<LogWatch::Watch> due_;  ///< also of servers that come
  std::map<int, std::unique_ptr<ProcessWatch>> others_;
  std::optional<Background> keeping_;
  std::optional<Background> hearing_;
};

}  // namespace terminally
