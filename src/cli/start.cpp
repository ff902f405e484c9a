// Starts the server, which is what the program does without a subcommand.
#include <unistd.h>

#include <string>

#include "app/serve.hpp"
#include "cli/subcommands.hpp"
#include "system/proc.hpp"
#include "terminal/print.hpp"
#include "tmux/wire/spawned_client.hpp"

namespace terminally {
namespace {

/// For people who start the program by hand and wait. Goes to stderr, as stdout belongs to the protocol.
void say_what_to_do() {
  complain(
      "this is an MCP server: it waits here for an MCP client, which starts it by itself and speaks JSON on "
      "its stdin. C-d ends it.\n"
      "  terminally-mcp demo              shows a client at work\n"
      "  terminally-mcp setup claude      has Claude Code start it; setup lists the other clients\n"
      "  terminally-mcp doctor            looks whether this machine has what is needed\n"
      "  terminally-mcp ls, exec, attach  the tabs of a server that runs already\n"
      "  terminally-mcp --help            all there is");
}

/// Says at the start what would make every call fail.
void say_what_is_wrong(const Config& config) {
  for (const std::string& trouble : {trouble_with_proc(), trouble_with_tmux(config.tmux)}) {
    if (!trouble.empty()) {
      complain(trouble);
    }
  }
}

}  // namespace

int start_server(const Config& config) {
  say_what_is_wrong(config);
  if (::isatty(STDIN_FILENO) != 0) {
    say_what_to_do();
  }
  return serve(config);
}

}  // namespace terminally
