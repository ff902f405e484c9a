// cancel_command: ends the running command of a tab, by force if it must.
#include "tmux/manager.hpp"
#include "toolkit/answers.hpp"
#include "toolkit/shared_args.hpp"
#include "toolkit/tool.hpp"

namespace terminally {
namespace {

struct CancelCommandArgs {
  QueryCommand command;
  bool force = false;
  std::optional<std::uint64_t> max_output_bytes;
  bool verbose = false;

  void describe(ArgsVisitor& v) {
    v.tab("window_id", command.window_id, kTabDescription);
    v.text("command_id", Need::optional, command.command_id, kCommandIdBytes, "Which.");
    v.flag("force", force, "SIGKILL at once.");
    v.integer("max_output_bytes", max_output_bytes, kMaxOutputBytes, kMaxOutputDescription);
    v.flag("verbose", verbose, kVerboseDescription);
  }
};

/// The result of the command, always with its survivors.
struct Cancelled {
  Cancelled() { command.lists_survivors = true; }
  CommandAnswer command;
};

void describe(ResultVisitor& v, const Cancelled& cancelled) {
  describe(v, cancelled.command);
}

boost::asio::awaitable<Cancelled> cancel_command(ToolContext context, CancelCommandArgs args) {
  args.command.view = ViewArgs().view(context.default_view);
  args.command.max_output_bytes = output_limit(args.max_output_bytes, args.command.view);
  Cancelled cancelled;
  cancelled.command.verbose = args.verbose;
  cancelled.command.tells_time = context.as_text;
  cancelled.command.result =
      co_await context.manager->stops().cancel_command(std::move(args.command), args.force);
  co_return cancelled;
}

}  // namespace

Tool cancel_command_tool() {
  return make_tool<&cancel_command>(
      "cancel_command", "End a tab's command (not nohup, setsid): C-c, SIGTERM, SIGKILL after 5 s.",
      {.destructive = true, .idempotent = true}, {.ends_things = true});
}

}  // namespace terminally
