// get_command_state: tells whether a command still runs or how it ended, with its output.
#include "tmux/manager.hpp"
#include "toolkit/answers.hpp"
#include "toolkit/shared_args.hpp"
#include "toolkit/tool.hpp"

namespace terminally {
namespace {

struct GetCommandStateArgs {
  QueryCommand request;
  ViewArgs view;
  std::optional<std::uint64_t> max_output_bytes;
  bool verbose = false;

  void describe(ArgsVisitor& v) {
    v.tab("window_id", request.window_id, kTabDescription);
    v.text("command_id", Need::optional, request.command_id, kCommandIdBytes, "Default: the tab's latest.");
    view.describe(v);
    v.integer("max_output_bytes", max_output_bytes, kMaxOutputBytes, kMaxOutputDescription);
    v.flag("verbose", verbose, kVerboseDescription);
  }
};

boost::asio::awaitable<CommandAnswer> get_command_state(ToolContext context, GetCommandStateArgs args) {
  args.request.view = args.view.view(context.default_view);
  args.request.max_output_bytes = output_limit(args.max_output_bytes, args.request.view);
  CommandAnswer answer;
  answer.verbose = args.verbose;
  answer.tells_time = context.as_text;
  answer.result = co_await context.manager->commands().state(std::move(args.request));
  co_return answer;
}

}  // namespace

Tool get_command_state_tool() {
  return make_tool<&get_command_state>("get_command_state",
                                       "State, exit code and output of a tab's command, running or ended.",
                                       {.read_only = true, .idempotent = true});
}

}  // namespace terminally
