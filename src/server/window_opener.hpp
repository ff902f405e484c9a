#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/awaitable.hpp"
#include "base/process.hpp"
#include "config.hpp"
#include "server/tmux_server.hpp"

namespace terminally {

/// What a tmux command that makes a window is given.
struct NewWindow {
  Argv words;
  std::vector<std::string> variables;  ///< among the words; a session would keep them for its later windows
};

/// Opens windows for tabs in a tmux server, and the sessions that they are in. Each answers with the row of
/// the window that was opened.
class WindowOpener {
 public:
  /// Both outlive the opener.
  WindowOpener(TmuxServer& server, const Config& config) : server_(server), config_(config) {}

  /// Starts a tmux server with a session of this name: see TmuxServer::start.
  [[nodiscard]] Awaitable<std::string> start_server(std::string session, NewWindow window,
                                                    std::uint32_t first_id);
  /// Opens a session in a tmux server that has just answered and has no session of ours.
  [[nodiscard]] Awaitable<std::string> open_session(std::string session, NewWindow window);
  /// Opens a window in the session of the tabs. nullopt: that session is gone, and perhaps the server.
  [[nodiscard]] Awaitable<std::optional<std::string>> open_window(Argv words);

 private:
  [[nodiscard]] std::string first_window(const std::string& session, const std::string& format,
                                         const NewWindow& window) const;
  [[nodiscard]] Awaitable<bool> session_has_ended() const;

  TmuxServer& server_;
  const Config& config_;
};

}  // namespace terminally
