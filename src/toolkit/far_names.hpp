#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/ids.hpp"
#include "toolkit/far_hosts.hpp"

namespace terminally {

// How this side names the things of a host: "build1:@3". Pure.

/// Whether `text` is 1 to 64 letters, digits, '.', '_' and '-', the first a letter or digit.
[[nodiscard]] bool is_host_name(std::string_view text);

/// Whether this subcommand of the command line takes a tab, which may be one of a host.
[[nodiscard]] bool is_of_a_tab(std::string_view subcommand);

struct FarName {
  std::string host;
  std::string rest;  ///< an id or a name, as the host has it
};

/// Splits "build1:@3" at the first colon; nullopt where no host name precedes it. Does not check whether
/// there is such a host.
[[nodiscard]] std::optional<FarName> split_far_name(std::string_view text);

/// Rewrites a text that this program made on the host (a note, an error), so that its advice can be followed
/// here. The host is put before ids of tabs, also in resource URIs, and before names of tabs in command
/// lines. Calls that would open a tab get their `host`. Text that only looks like an id (a file
/// "pane-@3.log", an address "me@3") stays, and so does an
/// error about a path.
[[nodiscard]] std::string with_host(std::string_view text, std::string_view host);

/// The same for a result: rewrites each window_id and the notes. Adds a field `host`, because paths, pids,
/// ports and times are that host's.
void put_host(nlohmann::ordered_json& result, std::string_view host);

/// The kind of an error as it travels in `_meta` of a tool's error, under kErrorKey. An unknown kind is `io`.
inline constexpr const char* kErrorKey = "terminally-mcp/error";
/// Where a far side has its records, in `_meta` of its answers to `initialize` and to a search by key.
inline constexpr const char* kPlaceKey = "terminally-mcp/place";
[[nodiscard]] std::string_view to_far_code(ErrorCode code);
[[nodiscard]] ErrorCode from_far_code(std::string_view text);

/// Returns when a tab of a host has printed more than `so_far` bytes (nullopt: than it has printed now). The
/// result is its new count, if the host can be asked. One call waits for the output there. It is repeated
/// after a pause where there is no link or no such tab, or the answer is empty.
[[nodiscard]] boost::asio::awaitable<std::optional<std::uint64_t>> next_output_there(
    std::shared_ptr<FarHosts> hosts, std::string host, WindowId window, std::optional<std::uint64_t> so_far);

}  // namespace terminally
