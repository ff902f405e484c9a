#pragma once

#include "config.hpp"

namespace terminally {

/// Everything that `terminally-mcp` does: without a subcommand it serves MCP over stdio; the subcommands are
/// what people run by hand. Returns the exit code.
int run_command_line(int argc, char** argv);

/// The same with other defaults: `config` holds where no flag and no variable says otherwise.
int run_command_line(int argc, char** argv, Config config);

}  // namespace terminally
