#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

namespace terminally {

// Readers of a request's params. They throw `ProtocolError` (invalid params) that names what is wrong.

/// The string member `name`.
[[nodiscard]] const std::string& need_string(const nlohmann::json& params, const char* name);

/// The object member `name`; an empty object when there is none.
[[nodiscard]] const nlohmann::json& object_or_empty(const nlohmann::json& params, const char* name);

/// The member `name`: an object whose values are strings. Empty when there is none.
[[nodiscard]] std::map<std::string, std::string> string_map(const nlohmann::json& params, const char* name);

/// "name version" of the Implementation in member `name`, at most 100 bytes without control characters;
/// nullopt when it is missing or malformed.
[[nodiscard]] std::optional<std::string> client_name(const nlohmann::json& params, const char* name);
/// The client_name that a request of the modern era carries in its `_meta`.
[[nodiscard]] std::optional<std::string> modern_client_name(const nlohmann::json& params);

inline constexpr const char* kTasksExtension = "io.modelcontextprotocol/tasks";

/// Whether a modern request declares that its client knows tasks.
[[nodiscard]] bool has_tasks_extension(const nlohmann::json& params);
/// Throws `ProtocolError` (missing client capability) unless the request declares that.
void need_tasks_extension(const nlohmann::json& params);

/// Throws for any cursor: every list is one page, so no cursor was ever handed out.
void refuse_cursor(const nlohmann::json& params);

}  // namespace terminally
