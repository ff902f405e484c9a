#pragma once

#include <string>
#include <string_view>

namespace terminally {

/// Whether somebody else may have typed into a tab since our last command was typed there: a person's client
/// was attached at some time, or keys or text were sent (by send_keys and send_text too). tmux itself keeps
/// this, so that it is known over our restarts. A tab that only prints, and one that nobody visits, is not
/// touched.
///
///     @terminally_visits  of the server: how often a client came, went, or changed its window
///     @terminally_seen    of a pane: what that was when our last line was typed; "sent" after keys

/// The hooks that keep it, for tmux's configuration.
[[nodiscard]] std::string touch_hooks();

/// To be run where a pane is made: it is not touched.
inline constexpr std::string_view kUntouched = "set -pF @terminally_seen '#{@terminally_visits}'";

/// A tmux format: true for a touched pane.
inline constexpr std::string_view kTouched =
    "#{||:#{window_active_clients},#{!=:#{@terminally_seen},#{@terminally_visits}}}";

}  // namespace terminally
