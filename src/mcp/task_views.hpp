#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "mcp/revisions.hpp"
#include "mcp/task.hpp"

namespace terminally {

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
