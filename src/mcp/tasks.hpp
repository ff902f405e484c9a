#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/event.hpp"
#include "mcp/methods.hpp"
#include "tmux/ids.hpp"
#include "tools/tool.hpp"

namespace terminally {

class Outlet;

/// A call that goes on after its answer. What it came to is one of `object`, `error_text` and `fault`, or it
/// was aborted; none of them while it runs.
struct Task {
  struct Command {
    WindowId window;
    std::string id;
  };

  std::string id;
  std::optional<Command> command;  ///< the one it stands for: the task lives as long as its record
  nlohmann::json call_arguments;
  std::int64_t created_ms = 0;  ///< since the epoch
  std::int64_t updated_ms = 0;
  nlohmann::ordered_json object;  ///< the tool's result
  std::string error_text;         ///< what the tool could not do
  bool fault = false;             ///< a bug of ours
  bool aborted = false;           ///< cancelled before there was anything to cancel but the call
  Event settled;                  ///< its command has begun, or it is over
  Event over;
  boost::asio::cancellation_signal cancel;
};

using TaskPtr = std::shared_ptr<Task>;

/// The tasks of one server, for both eras: what a task is differs only in how it is shown (task_views.hpp).
///
/// The task of a command has the id "task-<window>-<command id>", so that any later server of the same
/// instance can answer for it from the command's record. Any other task ends with its server, and has a
/// random id.
class Tasks {
 public:
  static constexpr std::size_t kMostKept = 200;  ///< of those that are over: the oldest are forgotten
  static constexpr std::size_t kMostRunning = 1'000;

  Tasks(boost::asio::any_io_executor executor, std::shared_ptr<const Router> router,
        std::shared_ptr<Outlet> outlet)
      : executor_(std::move(executor)), router_(std::move(router)), outlet_(std::move(outlet)) {}

  /// Returns when its command has begun, or it is over, but after 5 s at the latest. Cancelled, it cancels
  /// the task. Throws `ProtocolError` when there are too many.
  [[nodiscard]] boost::asio::awaitable<TaskPtr> start(const Tool& tool,
                                                      std::shared_ptr<const nlohmann::json> arguments,
                                                      ReportProgress progress, std::string client,
                                                      bool announce_end);

  /// Null when there is no such task.
  [[nodiscard]] boost::asio::awaitable<TaskPtr> find(std::string id);

  /// Returns when it was cancelled, or had ended by itself.
  [[nodiscard]] boost::asio::awaitable<void> cancel(TaskPtr task);
  /// The same, without waiting.
  void begin_cancel(TaskPtr task);

  /// Oldest first.
  [[nodiscard]] std::vector<TaskPtr> list() const;

  /// What it waits for, while it runs; empty when nothing is to be said.
  [[nodiscard]] boost::asio::awaitable<std::string> progress_text(TaskPtr task) const;

  /// With `stop`, what runs is cancelled.
  void close(bool stop);

 private:
  void spawn(const TaskPtr& task, boost::asio::awaitable<void> work, bool announce_end);
  void keep(const TaskPtr& task);

  boost::asio::any_io_executor executor_;
  std::shared_ptr<const Router> router_;
  std::shared_ptr<Outlet> outlet_;
  std::map<std::string, TaskPtr> tasks_;
};

/// The id of the task of a command, and back.
[[nodiscard]] std::string task_id(const Task::Command& command);
[[nodiscard]] std::optional<Task::Command> parse_task_id(std::string_view id);

}  // namespace terminally
