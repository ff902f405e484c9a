#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/ids.hpp"
#include "json/json_rpc.hpp"
#include "mcp/revisions.hpp"

namespace terminally {

/// A resource that can be read and subscribed to:
///
///     terminally://tabs                      the open tabs, as list_tabs returns them
///     terminally://tab/{window_id}/log       the last lines of a tab's log
///     terminally://tab/{window_id}/screen    what a person sees in the tab now
///
/// A tab of a host has the host in its id: terminally://tab/build1:@3/log.
struct ResourceUri {
  enum class Kind { tabs, log, screen };
  Kind kind = Kind::tabs;
  WindowId window = {};  ///< of log and screen
  /// The host of the tab; empty: this side.
  std::string host = {};  // NOLINT(readability-redundant-member-init): g++ warns where it is left out
  auto operator<=>(const ResourceUri&) const = default;
};

inline constexpr std::string_view kTabsUri = "terminally://tabs";
inline constexpr std::string_view kLogTemplate = "terminally://tab/{window_id}/log";
inline constexpr std::string_view kScreenTemplate = "terminally://tab/{window_id}/screen";

[[nodiscard]] std::string to_string(const ResourceUri& uri);
/// The id of the resource's tab: "@3", "build1:@3".
[[nodiscard]] std::string tab_of(const ResourceUri& uri);

/// Understands percent-encoding anywhere in the path ("%403" is "@3"): clients that fill in the templates
/// must encode (RFC 6570). nullopt for a URI of another form.
[[nodiscard]] std::optional<ResourceUri> parse_resource_uri(std::string_view text);

/// The error for a resource that does not exist. The legacy and the modern code differ.
[[nodiscard]] ProtocolError resource_not_found(const std::string& uri, Revision revision,
                                               const std::string& why = "");

/// Whether it begins as a URI does: a scheme and something after it (RFC 3986).
[[nodiscard]] bool looks_like_uri(std::string_view text);

}  // namespace terminally
