#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace terminally {

// What the last line of a text answer says of a command: in place of several fields, and with the call that
// comes next.

/// The words of the one fact that may be left out: the command ended well.
inline constexpr std::string_view kExitedWell = "exit 0";

/// What is not plain about the command of an answer, which need not have one. `tab`: the window_id of the
/// call, or empty.
[[nodiscard]] std::vector<std::string> state_words(const nlohmann::ordered_json& answer,
                                                   const std::string& tab);

/// Whether the words say what the note says.
[[nodiscard]] bool is_said_by_state(std::string_view note, const nlohmann::ordered_json& answer);

/// What is told where there is a last line anyway: the tab that the caller did not name, and how long it
/// took.
[[nodiscard]] std::vector<std::string> asides(const nlohmann::ordered_json& answer, const std::string& tab);

}  // namespace terminally
