#pragma once

#include "base/process.hpp"
#include "tmux/server/tmux_server.hpp"

namespace terminally {

/// What a tmux command that makes a window is given.
struct NewWindow {
  Argv words;
  std::vector<std::string> variables;  ///< among the words; a session would keep them for its later windows
};

// How windows for tabs are opened. Each answers with the row of the window.

/// Starts a tmux server, with a session of this name: see TmuxServer::start.
[[nodiscard]] Awaitable<std::string> start_server(TmuxServer& server, const Config& config,
                                                  const std::string& session, const NewWindow& window,
                                                  std::uint32_t first_id);
/// Opens a session in a tmux server that has just answered and has no session of ours. nullopt: the server is
/// gone.
[[nodiscard]] Awaitable<std::optional<std::string>> open_session(const TmuxServer& server,
                                                                 const Config& config, std::string session,
                                                                 NewWindow window);
/// Opens a window in the session of the tabs. nullopt: that session is gone, and perhaps the server.
[[nodiscard]] Awaitable<std::optional<std::string>> open_window(const TmuxServer& server, Argv words);

}  // namespace terminally
