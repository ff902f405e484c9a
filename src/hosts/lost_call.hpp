#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "toolkit/far_hosts.hpp"

namespace terminally {

// A call whose link was lost while it was under way. Pure.

/// "call-" and the key: what a command is called whose own id was lost with the link.
[[nodiscard]] std::optional<std::string> call_key_of(const nlohmann::json& arguments);

/// What is known in time of a command that has begun, or not: `why` nothing more is, as the first words of a
/// note.
[[nodiscard]] nlohmann::ordered_json lost_answer(const FarCall& call, const std::string& key,
                                                 const std::string& why);

/// The tool that tells how it stands with a command.
inline constexpr const char* kCommandState = "get_command_state";

/// Its arguments: the command's result, seen as the call wanted it.
[[nodiscard]] nlohmann::json query_of(const nlohmann::json& given, Begins begins, const std::string& window,
                                      const std::string& command);

}  // namespace terminally
