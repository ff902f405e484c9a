#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace terminally {

/// The protocol revisions this server speaks, oldest first, so that they compare.
/// https://modelcontextprotocol.io/specification/versioning
enum class Revision { v2024_11_05, v2025_03_26, v2025_06_18, v2025_11_25, v2026_07_28 };

inline constexpr Revision kNewestLegacy = Revision::v2025_11_25;

/// Legacy revisions are agreed on by `initialize`; modern ones are named by each request.
[[nodiscard]] constexpr bool is_modern(Revision revision) {
  return revision > kNewestLegacy;
}

[[nodiscard]] std::string_view to_string(Revision revision);

/// What `server/discover` lists and what an unsupported version is answered with: all of them, newest first.
/// The legacy ones are there so that a client that knows no modern one of ours falls back to `initialize`.
[[nodiscard]] const nlohmann::ordered_json& supported_versions();

/// The answer to `initialize`: what was asked for where that is a legacy revision, else the newest legacy
/// one.
[[nodiscard]] Revision negotiate(std::string_view requested);

/// Whether a request's params claim a revision in their `_meta`, as those of the modern era do.
[[nodiscard]] bool claims_revision(const nlohmann::json& params);

/// The revision of one request, decided anew for each: clients mix both eras on one connection. A request
/// that claims one in its `_meta` is modern; any other is legacy, of the revision last negotiated. Throws
/// `ProtocolError` for a claim that is not whole or not supported.
[[nodiscard]] Revision revision_of(std::string_view method, const nlohmann::json& params,
                                   Revision negotiated);

}  // namespace terminally
