#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace terminally {

// What a thing of another host is called here: "build1:@3". Pure.

/// 1 to 64 letters, digits, '.', '_' and '-', the first a letter or digit.
[[nodiscard]] bool is_host_name(std::string_view text);

/// Of the commands that people run: whether it takes a tab, and so one of a host.
[[nodiscard]] bool is_of_a_tab(std::string_view subcommand);

struct FarName {
  std::string host;
  std::string rest;  ///< an id or a name, as it is there
};

/// nullopt where no host's name stands before the first colon. Whether there is such a host is not looked at.
[[nodiscard]] std::optional<FarName> split_far_name(std::string_view text);

/// A text of ours that was made at the host (a note, an error), so that its advice can be followed here: ids
/// of tabs, those in its resource URIs, and names of tabs in command lines as they are called here, and calls
/// that would open a tab there with their `host`. What only looks like an id (a file "pane-@3.log", an
/// address "me@3") stays.
[[nodiscard]] std::string with_host(std::string_view text, std::string_view host);

/// The same for a result: window_id wherever it stands, notes, and `host` as a field of its own, because
/// paths, pids, ports and times are that host's.
void put_host(nlohmann::ordered_json& result, std::string_view host);

/// The kind of an error as it travels, in `_meta` of a tool's error, under kErrorKey; what is not known is
/// `io`.
inline constexpr const char* kErrorKey = "terminally-mcp/error";
[[nodiscard]] std::string_view to_far_code(ErrorCode code);
[[nodiscard]] ErrorCode from_far_code(std::string_view text);

}  // namespace terminally
