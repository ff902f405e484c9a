#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace terminally {

// What of a host's messages reaches a page: only fields that are known, of the right kind, with ids as they
// are called here ("build1:@3"). Pure. A host may send anything.

/// A message of doc/page-wire.md about tabs, channels or searches; nothing: it is dropped. `re` is not in it.
[[nodiscard]] std::optional<nlohmann::json> told_of_host(const nlohmann::json& message,
                                                         const std::string& host);

/// The body of /api/commands and /api/times, likewise.
[[nodiscard]] std::optional<nlohmann::json> commands_of_host(const nlohmann::json& answer,
                                                             const std::string& host);
[[nodiscard]] std::optional<nlohmann::json> times_of_host(const nlohmann::json& answer);

/// A gap list of /api/log.
[[nodiscard]] std::optional<nlohmann::json> gaps_of_host(const nlohmann::json& gaps);

}  // namespace terminally
