#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "mcp/revisions.hpp"
#include "mcp/task.hpp"

namespace terminally {

// How each era shows a task. `progress_text` is what it is doing, empty for nothing to say.

/// 2025-11-25: a flat Task.
[[nodiscard]] nlohmann::ordered_json legacy_task(const Task& task, const std::string& progress_text);

/// The extension: a flat Task, and in it what it came to.
[[nodiscard]] nlohmann::ordered_json modern_task(const Task& task, const std::string& progress_text);

/// The same, as it is told to who listens: without a result that would be too long for a message.
[[nodiscard]] nlohmann::ordered_json modern_task_told(const Task& task);

/// What tools/call would have answered. Of a task that is over. Throws `ProtocolError` where it would have.
[[nodiscard]] nlohmann::ordered_json task_outcome(const Task& task, Revision revision);

/// working, completed, failed or cancelled. The eras differ in where a tool error belongs.
[[nodiscard]] std::string_view task_status(const Task& task, Revision revision);

}  // namespace terminally
