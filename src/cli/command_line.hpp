#pragma once

#include "cli/options.hpp"

namespace terminally {

/// Everything that `terminally-mcp` does: without a subcommand it serves MCP over stdio; the subcommands are
/// what people run by hand. `config` is what holds where no flag and no variable says otherwise. Returns the
/// exit code.
int run_command_line(int argc, char** argv, Config config = default_config());

}  // namespace terminally
