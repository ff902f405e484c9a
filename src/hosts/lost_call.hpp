#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "base/error.hpp"
#include "toolkit/far_hosts.hpp"

namespace terminally {

// Answers for a call whose link was lost while the call was under way. Pure.

/// The key in a command_id "call-KEY", which names a command whose own id was lost with the link; nullopt for
/// any other command_id.
[[nodiscard]] std::optional<std::string> call_key_of(const nlohmann::json& arguments);

/// The answer where nobody can say in time whether the command has begun. `why` begins its note.
[[nodiscard]] nlohmann::ordered_json lost_answer(const FarCall& call, const std::string& key,
                                                 const std::string& why);

/// The error where the host looked, and has no record of the command. `same_records`: it looked where the
/// call's command would have been recorded.
[[nodiscard]] Error no_record(bool same_records, const std::string& why);

/// The answer where the command is on record there by these ids, and its state could not be read in time.
[[nodiscard]] nlohmann::ordered_json found_answer(const FarCall& call, const std::string& window,
                                                  const std::string& command, const std::string& why);

/// The tool that tells the state of a command.
inline constexpr const char* kCommandState = "get_command_state";

/// The arguments of kCommandState for the command's result, in the view that the call asked for.
[[nodiscard]] nlohmann::json query_of(const nlohmann::json& given, Begins begins, const std::string& window,
                                      const std::string& command);

}  // namespace terminally
