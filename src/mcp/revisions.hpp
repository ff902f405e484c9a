#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace terminally {

/// The protocol revisions that this server speaks, in order of age, so that < and > compare them.
/// https://modelcontextprotocol.io/specification/versioning
enum class Revision { v2024_11_05, v2025_03_26, v2025_06_18, v2025_11_25, v2026_07_28 };

inline constexpr Revision kNewestLegacy = Revision::v2025_11_25;

/// A legacy revision is agreed on by `initialize`; a modern one is named by each request.
[[nodiscard]] constexpr bool is_modern(Revision revision) {
  return revision > kNewestLegacy;
}

[[nodiscard]] constexpr bool knows_batches(Revision revision) {
  return revision <= Revision::v2025_03_26;
}

[[nodiscard]] std::string_view to_string(Revision revision);

/// All revisions, newest first, as `server/discover` and the error for an unsupported version list them. With
/// the legacy ones a client that knows none of the modern ones can fall back to `initialize`.
[[nodiscard]] const nlohmann::ordered_json& supported_versions();

/// The answer to `initialize`: the requested revision if it is a legacy one, else the newest legacy one.
[[nodiscard]] Revision negotiate(std::string_view requested);

/// Whether a request's params claim a revision in their `_meta`, as those of the modern era do.
[[nodiscard]] bool claims_revision(const nlohmann::json& params);

/// The revision of one request, decided for each request, as clients mix both eras on one connection. A
/// request that claims a revision in its `_meta` is modern; any other is legacy, of the revision last
/// negotiated. Throws `ProtocolError` for a claim that is incomplete or not supported.
[[nodiscard]] Revision revision_of(std::string_view method, const nlohmann::json& params,
                                   Revision negotiated);

}  // namespace terminally
