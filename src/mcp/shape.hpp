#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include "mcp/core.hpp"

namespace terminally {

/// The result of tools/call: the object as text and, where the revision knows it, as structuredContent.
[[nodiscard]] nlohmann::ordered_json tool_result(nlohmann::ordered_json object, Revision revision);

/// The result of a tool that failed: `text` for the model, with isError.
[[nodiscard]] nlohmann::ordered_json tool_error(std::string_view text);

/// Drops the fields that the revision does not know from the entries of tools/list.
[[nodiscard]] nlohmann::ordered_json shape_tools(nlohmann::ordered_json tools, Revision revision);

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
