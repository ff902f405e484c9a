#pragma once

#include <boost/asio/cancellation_signal.hpp>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "base/event.hpp"
#include "base/ids.hpp"
#include "mcp/revisions.hpp"
#include "toolkit/peer_settings.hpp"
#include "toolkit/router.hpp"

namespace terminally {

class ProgressSink;

/// A call that goes on after its answer. Once over, it has one of `answer`, `error_text`, `fault` and
/// `aborted`; none of them while it runs.
struct Task {
  struct Command {
    WindowId window;
    std::string id;
  };

  std::string id;                  ///< empty until it is announced
  std::string key;                 ///< secret: a client that knows the key may have the task
  std::optional<Command> command;  ///< the task's command: the task lives as long as the command's record
  bool is_of_command = false;      ///< the task will have a command, if nothing goes wrong
  std::string host;                ///< the host that the call goes to; empty: this side
  bool found_there = false;        ///< found on the host by its key: another server made the call
  PeerSettingsPtr peer;            ///< of the peer that began or found the task first; they shape its result
  std::set<std::string> known_to;  ///< identities of peers that have begun or found the task
  std::int64_t created_ms = 0;     ///< since the epoch
  std::int64_t updated_ms = 0;
  Answer answer;                           ///< the tool's result
  std::string error_text;                  ///< the tool's error
  bool fault = false;                      ///< an internal error
  bool refused = false;                    ///< `error_text` is about the arguments: nothing was begun
  bool aborted = false;                    ///< cancelled before there was anything to cancel but the call
  std::shared_ptr<ProgressSink> progress;  ///< gets the progress after the answer; null for none
  Event settled;                           ///< the command has begun, or the task is over
  Event over;
  boost::asio::cancellation_signal cancel;
};

using TaskPtr = std::shared_ptr<Task>;

/// A task's id ends with its key, 128 random bits, so nobody can guess it. A command's task has the id
/// "task-@3-1a2b3c4d-<key>", a host's call "task-build1:<key>", any other task "task-<key>".
inline constexpr std::size_t kTaskKeyBytes = 16;
[[nodiscard]] std::string task_id(const Task& task);
/// The task of a command or a host's call, with the fields that the id tells: id, key, and command or host.
/// Null for any other id.
[[nodiscard]] TaskPtr parse_task_id(std::string_view id);

// A task as the JSON of each era. `progress_text` says what the task is doing; may be empty.

/// 2025-11-25: a flat Task.
[[nodiscard]] nlohmann::ordered_json legacy_task(const Task& task, const std::string& progress_text);

/// The extension of the modern era: a flat Task with its result or error in it.
[[nodiscard]] nlohmann::ordered_json modern_task(const Task& task, const std::string& progress_text);

/// modern_task for a subscriber: an error replaces a result that would be too long for a message.
[[nodiscard]] nlohmann::ordered_json modern_task_told(const Task& task);

/// The answer that tools/call would have given, for a task that is over. Throws `ProtocolError` likewise.
[[nodiscard]] nlohmann::ordered_json task_outcome(const Task& task, Revision revision);

/// "working", "completed", "failed" or "cancelled". A tool's error is "failed" to legacy clients only.
[[nodiscard]] std::string_view task_status(const Task& task, Revision revision);

}  // namespace terminally
