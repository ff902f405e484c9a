#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/event.hpp"
#include "mcp/methods.hpp"
#include "tmux/ids.hpp"
#include "tools/tool.hpp"

namespace terminally {

class Outlet;
class ProgressSink;

/// A call that goes on after its answer. What it came to is one of `object`, `error_text` and `fault`, or it
/// was aborted; none of them while it runs.
struct Task {
  struct Command {
    WindowId window;
    std::string id;
  };

  std::string id;
  std::optional<Command> command;  ///< the one it stands for: the task lives as long as its record
  bool is_of_command = false;      ///< it will have one, if nothing goes wrong
  nlohmann::json call_arguments;
  std::int64_t created_ms = 0;  ///< since the epoch
  std::int64_t updated_ms = 0;
  nlohmann::ordered_json object;           ///< the tool's result
  std::string error_text;                  ///< what the tool could not do
  bool fault = false;                      ///< a bug of ours
  bool refused = false;                    ///< `error_text` is about the arguments: nothing was begun
  bool aborted = false;                    ///< cancelled before there was anything to cancel but the call
  std::shared_ptr<ProgressSink> progress;  ///< where it goes on after the answer; null for none
  Event settled;                           ///< its command has begun, or it is over
  Event over;
  boost::asio::cancellation_signal cancel;
};

using TaskPtr = std::shared_ptr<Task>;

/// A call that is to become a task.
struct TaskRequest {
  const Tool& tool;
  std::shared_ptr<const nlohmann::json> arguments;
  std::shared_ptr<ProgressSink> progress;  ///< null for none
  std::string client;
  bool legacy = false;  ///< its progress goes on after the answer, and its end is told to everybody
};

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

  /// Begins it. Nobody can ask for it before it is announced. Throws `ProtocolError` when there are too many.
  [[nodiscard]] TaskPtr begin(TaskRequest request);

  /// Gives it its id. Returns when its command has begun, or it is over, but after 5 s at the latest.
  [[nodiscard]] boost::asio::awaitable<void> announce(TaskPtr task);

  /// Nobody will ever ask for it: it is ended and forgotten, whatever it is at.
  void give_up(const TaskPtr& task);

  /// Null when there is no such task.
  [[nodiscard]] boost::asio::awaitable<TaskPtr> find(std::string id);

  /// Returns when it was cancelled, or had ended by itself. Throws `Error` where it still runs after the
  /// synchronous window and 6 s: it is being ended all the same.
  [[nodiscard]] boost::asio::awaitable<void> cancel(TaskPtr task);

  /// How the ending of a task went.
  struct Ending {
    Event over;
    std::exception_ptr failure;
  };
  /// The same, without waiting.
  std::shared_ptr<Ending> begin_cancel(const TaskPtr& task);

  /// Oldest first.
  [[nodiscard]] std::vector<TaskPtr> list() const;

  /// What it waits for, while it runs; empty when nothing is to be said.
  [[nodiscard]] boost::asio::awaitable<std::string> progress_text(TaskPtr task) const;

  /// With `stop`, what runs is cancelled.
  void close(bool stop);

 private:
  void spawn(const TaskPtr& task, boost::asio::awaitable<void> work, bool announce_end);
  void keep(const TaskPtr& task);
  std::shared_ptr<Ending> end_in_background(const TaskPtr& task);

  boost::asio::any_io_executor executor_;
  std::shared_ptr<const Router> router_;
  std::shared_ptr<Outlet> outlet_;
  std::map<std::string, TaskPtr> tasks_;
  std::shared_ptr<std::set<TaskPtr>> running_ = std::make_shared<std::set<TaskPtr>>();
};

/// The id of the task of a command, and back.
[[nodiscard]] std::string task_id(const Task::Command& command);
[[nodiscard]] std::optional<Task::Command> parse_task_id(std::string_view id);

}  // namespace terminally
