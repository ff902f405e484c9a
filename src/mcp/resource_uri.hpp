#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/ids.hpp"
#include "mcp/json_rpc.hpp"
#include "mcp/revisions.hpp"

namespace terminally {

/// What can be read and subscribed to:
///
///     terminally://tabs                      the open tabs, as list_tabs returns them
///     terminally://tab/{window_id}/log       the last lines of a tab's log
///     terminally://tab/{window_id}/screen    what a person sees in the tab now
///
/// A tab of a host is named as everywhere: terminally://tab/build1:@3/log.
struct ResourceUri {
  enum class Kind { tabs, log, screen };
  Kind kind = Kind::tabs;
  WindowId window = {};  ///< of log and screen
  /// Whose tab it is; empty: one of this side.
  std::string host = {};  // NOLINT(readability-redundant-member-init): g++ warns where it is left out
  auto operator<=>(const ResourceUri&) const = default;
};

inline constexpr std::string_view kTabsUri = "terminally://tabs";
inline constexpr std::string_view kLogTemplate = "terminally://tab/{window_id}/log";
inline constexpr std::string_view kScreenTemplate = "terminally://tab/{window_id}/screen";

[[nodiscard]] std::string to_string(const ResourceUri& uri);
/// "@3", "build1:@3".
[[nodiscard]] std::string tab_of(const ResourceUri& uri);

/// Percent-encoding anywhere in the path is understood ("%403" is "@3"); clients that fill in the templates
/// must write it so (RFC 6570). nullopt for whatever names none of the above.
[[nodiscard]] std::optional<ResourceUri> parse_resource_uri(std::string_view text);

/// The error for a resource that is not there; each era has a code of its own.
[[nodiscard]] ProtocolError resource_not_found(const std::string& uri, Revision revision,
                                               const std::string& why = "");

/// Whether it begins as a URI does: a scheme and something after it (RFC 3986).
[[nodiscard]] bool looks_like_uri(std::string_view text);

}  // namespace terminally
