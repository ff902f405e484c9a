#pragma once

#include <string>
#include <vector>

namespace terminally {

// Our channels look on at a session of their own, which has one pane without a process. So the session of the
// tabs has clients of people only: its `session_activity` is of their keys, its end takes no channel with it,
// and `tmux ls` does not say that it is attached. Who comes into ours is led on to the tabs.

/// What the name of a channel as a client begins with; its pid follows. A person's is the path of a terminal,
/// or `client-PID`.
inline constexpr const char* kChannelName = "terminally-";
// tmux formats: true in that session; in a hook, of a channel's client.
inline constexpr const char* kIsChannelSession = "#{==:#{session_name},terminally}";
inline constexpr const char* kIsOfChannel = "#{m:terminally-*,#{hook_client}}";

/// The words of the command by which a channel comes into it; where there is none, it is made.
[[nodiscard]] std::vector<std::string> attach_to_channel_session();

/// A tmux command for the hooks of a client that comes.
[[nodiscard]] std::string lead_on_to_tabs();

}  // namespace terminally
