#include "cli/command_line.hpp"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>

#include "cli/options.hpp"
#include "cli/serve.hpp"

namespace terminally {

int run_command_line(int argc, char** argv) {
  CLI::App app{"A terminal that AI agents and their people trust: MCP over stdio, tmux tabs, exact output, logs that lose nothing."};
  app.name("terminally-mcp");
  Config config = default_config();
  add_options(app, config);
  try {
    app.parse(argc, argv);
    return serve(config);
  } catch (const CLI::ParseError& error) {
    return app.exit(error);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "terminally-mcp: %s\n", error.what());
    return 1;
  }
}

}  // namespace terminally
