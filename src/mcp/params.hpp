#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

namespace terminally {

// Reading the params of a request. What is wrong they throw as `ProtocolError`
// (invalid params) that names it.

/// The string member `name`.
[[nodiscard]] const std::string& need_string(const nlohmann::json& params, const char* name);

/// The object member `name`; an empty object when there is none.
[[nodiscard]] const nlohmann::json& object_or_empty(const nlohmann::json& params, const char* name);

/// The member `name`: an object whose values are strings. Empty when there is none.
[[nodiscard]] std::map<std::string, std::string> string_map(const nlohmann::json& params, const char* name);

/// "name version" of the Implementation in member `name`, at most 100 bytes without control characters;
/// nullopt when there is none, or it is not well formed.
[[nodiscard]] std::optional<std::string> client_name(const nlohmann::json& params, const char* name);
/// The one that a request of the modern era carries.
[[nodiscard]] std::optional<std::string> modern_client_name(const nlohmann::json& params);

inline constexpr const char* kTasksExtension = "io.modelcontextprotocol/tasks";

/// Whether a modern request says that its client knows tasks.
[[nodiscard]] bool has_tasks_extension(const nlohmann::json& params);
/// Throws `ProtocolError` (missing client capability) unless it does.
void need_tasks_extension(const nlohmann::json& params);

/// Every list here is on one page: no cursor was ever handed out.
void refuse_cursor(const nlohmann::json& params);

}  // namespace terminally
