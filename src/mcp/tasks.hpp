#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/ids.hpp"
#include "base/spawned.hpp"
#include "mcp/task.hpp"
#include "toolkit/tool.hpp"

namespace terminally {

class Outlet;
class ProgressSink;
class Router;

/// A call that is to become a task.
struct TaskRequest {
  const Tool& tool;
  std::shared_ptr<const nlohmann::json> arguments;
  std::shared_ptr<ProgressSink> progress;  ///< null for none
  PeerSettingsPtr peer;                    ///< whose it is: it sees the result as they say
  std::string client;
  std::shared_ptr<Outlet> outlet;  ///< for its progress after the reply, and its end; null: neither is told
};

/// The tasks of one server, for both eras: what a task is differs only in how it is shown (task_views.hpp).
///
/// The task of a command names it, or the host that it runs at, in its id, and the command's record has the
/// task's key: any later server of the same instance can answer for it. Any other task ends with its server.
class Tasks {
 public:
  static constexpr std::size_t kMostKept = 200;  ///< of those that are over: the oldest are forgotten
  static constexpr std::size_t kMostRunning = 1'000;

  Tasks(boost::asio::any_io_executor executor, std::shared_ptr<const Router> router)
      : executor_(std::move(executor)), router_(std::move(router)) {}

  /// Begins it. Nobody can ask for it before it is announced. Throws `ProtocolError` when there are too many.
  [[nodiscard]] TaskPtr begin(TaskRequest request);

  /// Gives it its id. Returns when its command has begun, or it is over, but after 5 s at the latest.
  [[nodiscard]] boost::asio::awaitable<void> announce(TaskPtr task);

  /// Nobody will ever ask for it: it is ended and forgotten, whatever it is at.
  void give_up(const TaskPtr& task);

  /// Null when there is no such task. Whoever knows its id may have it, and lists it from here on.
  [[nodiscard]] boost::asio::awaitable<TaskPtr> find(std::string id, PeerSettingsPtr peer);

  /// Returns when it was cancelled, or had ended by itself. Throws `Error` where it still runs after the
  /// synchronous window and 6 s: it is being ended all the same.
  [[nodiscard]] boost::asio::awaitable<void> cancel(TaskPtr task);

  /// The same, without waiting: returns the ending of what the task has begun.
  Spawned<> begin_cancel(const TaskPtr& task);

  /// Those that peers of this identity have begun or found. Oldest first.
  [[nodiscard]] std::vector<TaskPtr> list(const std::string& identity) const;

  /// What it waits for, while it runs; empty when nothing is to be said.
  [[nodiscard]] boost::asio::awaitable<std::string> progress_text(TaskPtr task) const;

  /// What runs is cancelled.
  void stop();

 private:
  void spawn(const TaskPtr& task, boost::asio::awaitable<void> work, std::shared_ptr<Outlet> outlet);
  [[nodiscard]] boost::asio::awaitable<TaskPtr> find_command(std::string id, PeerSettingsPtr peer);
  [[nodiscard]] std::vector<TaskPtr> sorted(const std::function<bool(const Task&)>& which) const;
  void keep(const TaskPtr& task);
  Spawned<> end_in_background(const TaskPtr& task);

  boost::asio::any_io_executor executor_;
  std::shared_ptr<const Router> router_;
  std::map<std::string, TaskPtr> tasks_;
  std::shared_ptr<std::set<TaskPtr>> running_ = std::make_shared<std::set<TaskPtr>>();
};

}  // namespace terminally
