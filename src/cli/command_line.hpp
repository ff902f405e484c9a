#pragma once

#include "config.hpp"

namespace terminally {

/// Runs `terminally-mcp`: without a subcommand it serves MCP over stdio; people run the subcommands by hand.
/// Returns the exit code.
int run_command_line(int argc, char** argv);

/// The same with `config` as the defaults of flags and environment variables.
int run_command_line(int argc, char** argv, Config config);

}  // namespace terminally
