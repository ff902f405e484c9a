#pragma once

#include <nlohmann/json_fwd.hpp>

namespace terminally {

inline constexpr const char* kTasksExtension = "io.modelcontextprotocol/tasks";

/// Whether a modern request says that its client knows tasks.
[[nodiscard]] bool has_tasks_extension(const nlohmann::json& params);

/// Throws `ProtocolError` (missing client capability) unless it does.
void need_tasks_extension(const nlohmann::json& params);

}  // namespace terminally
