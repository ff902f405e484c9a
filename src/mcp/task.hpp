#pragma once

#include <boost/asio/cancellation_signal.hpp>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "base/event.hpp"
#include "base/ids.hpp"
#include "toolkit/peer_settings.hpp"

namespace terminally {

class ProgressSink;

/// A call that goes on after its answer. What it came to is one of `object`, `error_text` and `fault`, or it
/// was aborted; none of them while it runs.
struct Task {
  struct Command {
    WindowId window;
    std::string id;
  };

  std::string id;                  ///< empty until it is announced
  std::string key;                 ///< its secret: who knows it may have the task
  std::optional<Command> command;  ///< the one it stands for: the task lives as long as its record
  bool is_of_command = false;      ///< it will have one, if nothing goes wrong
  std::string host;                ///< that its call goes to; empty: this side
  bool found_there = false;        ///< by its key: its call was another server's
  PeerSettingsPtr peer;            ///< of who began or found it first: its result is seen as they say
  std::set<std::string> known_to;  ///< identities of peers that have begun or found it
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

/// Nobody can guess a task's id: it ends with the key, 128 random bits. Of the task of a command it is
/// "task-@3-1a2b3c4d-<key>", of a host's call "task-build1:<key>", of any other "task-<key>".
inline constexpr std::size_t kTaskKeyBytes = 16;
[[nodiscard]] std::string task_id(const Task& task);
/// The task of a command, as its id tells: its id, its key, and its command or its host. Null where the id is
/// of no such.
[[nodiscard]] TaskPtr parse_task_id(std::string_view id);

}  // namespace terminally
