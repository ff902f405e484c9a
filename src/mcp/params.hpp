#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "config.hpp"
#include "mcp/core.hpp"
#include "toolkit/router.hpp"

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

/// The result of tools/call: the answer's text alone, or the object as text and, where the revision knows it,
/// as structuredContent.
[[nodiscard]] nlohmann::ordered_json tool_result(Answer answer, Revision revision);

/// The result of a tool that failed: `text` for the model, with isError.
[[nodiscard]] nlohmann::ordered_json tool_error(std::string_view text);

/// Drops the fields that the revision does not know from the entries of tools/list, and the schema of answers
/// that are text.
[[nodiscard]] nlohmann::ordered_json shape_tools(nlohmann::ordered_json tools, Revision revision,
                                                 AnswerForm answers);

/// Drops the titles, which came with 2025-06-18, from the entries of other lists.
[[nodiscard]] nlohmann::ordered_json without_titles(nlohmann::ordered_json entries, Revision revision);

/// How long a result stays true.
enum class Lifetime {
  server,  ///< as long as this server runs
  now,     ///< it may have changed already
};

/// Modern only: how long a client may keep the result.
void add_cache_hints(nlohmann::ordered_json& result, Revision revision, Lifetime lifetime);

/// Modern only: adds what every result must have, the server's name and version, and "complete" as its type
/// where it has none.
void decorate(nlohmann::ordered_json& result, const Implementation& server, Revision revision);

}  // namespace terminally
