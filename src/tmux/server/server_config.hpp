#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config.hpp"
#include "instance/instance.hpp"

namespace terminally {

/// The name that the managed session has at first; a person may give it another, and may have one of that
/// name.
inline constexpr const char* kSession = "tabs";
/// The option that the managed session is known by.
[[nodiscard]] std::string mark_session(const std::string& name);

/// What pipe-pane runs for a pane that has its tag. In tmux's format language.
[[nodiscard]] std::string log_writer_command(const Config& config);

/// Commands for tmux, a line each: every new pane gets a log. They name our helpers, so a server sets them
/// anew in a tmux server that is older than it.
[[nodiscard]] std::string tmux_hooks(const Config& config);

/// The configuration of our tmux server, complete: the user's ~/.tmux.conf is not read.
[[nodiscard]] std::string tmux_config_text(const Config& config, std::uint32_t generation,
                                           std::uint32_t first_id);

/// The environment of our tmux server and so of the tabs: ours, without what would lead out of the private
/// server, with a UTF-8 locale (MCP clients pass none), with what keeps programs from waiting for a person
/// (unless plain_env), and with what terminally-shell and the pipe-pane hook are told by.
[[nodiscard]] std::vector<std::string> tmux_environment(const Config& config, const Instance& instance,
                                                        std::uint32_t generation);

/// The user's shell: $SHELL, else the one in the user database, else /bin/sh.
[[nodiscard]] std::string user_shell();

}  // namespace terminally
