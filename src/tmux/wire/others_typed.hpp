#pragma once

#include <string>
#include <string_view>

namespace terminally {

/// Whether somebody else may have typed into a tab since our last line was typed there: a client came, or a
/// client that was there had a key of a person, or keys or text were sent into the pane (by send_keys and
/// send_text too). tmux itself keeps this, so that it is known over our restarts. A tab that only prints,
/// and one that nobody visits, is not touched.
///
/// Which tab a key went to is not known: a window or pane may be moved into a person's view and out again,
/// and tmux 3.3a tells nobody. So a key of theirs touches every tab; who only watches touches none.
///
/// Our channels are clients, too, and none that count: they have names of their own, and are in another
/// session (channel_session.hpp).
///
///     @terminally_visits  how often a client came, or went to another session
///     @terminally_seen    of a pane: the visits, and the second of the last key of every client, when our
///                         last line was typed; "watched" where that second was not over, so that more keys
///                         may come in it; "sent" after keys were sent

/// The hooks that keep it, for tmux's configuration.
[[nodiscard]] std::string touch_hooks();

/// A tmux command, to be run where a pane is made and where our line is typed: from now on it is not touched.
/// `target`: "-t …" or nothing.
[[nodiscard]] std::string set_untouched(std::string_view target = {});

/// A tmux format: true for a touched pane.
[[nodiscard]] std::string others_typed();

/// The same where set_untouched was run a moment ago, so that only who sees the pane by now can have typed
/// there since: keys for other tabs do not count.
[[nodiscard]] std::string others_typed_just_now();

/// True where somebody who sees the pane pressed a key within the last second, or two.
[[nodiscard]] std::string is_typed_into();

/// The same, of keys that came since our last line was typed: what they left may be half a line.
[[nodiscard]] std::string typed_into_by_others();

}  // namespace terminally
