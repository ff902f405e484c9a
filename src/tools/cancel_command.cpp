// cancel_command: ends the running command of a tab, by force if it must.
#include "tmux/manager.hpp"
#include "toolkit/command_answer.hpp"
#include "toolkit/limits.hpp"
#include "toolkit/tool.hpp"
#include "toolkit/view_args.hpp"

namespace terminally {
namespace {

struct CancelCommandArgs {
  WindowId window_id;
  bool force = false;
  std::optional<std::uint64_t> max_output_bytes;
  bool verbose = false;

  void describe(ArgsVisitor& v) {
    v.tab("window_id", window_id, kTabDescription);
    v.flag("force", force, "SIGKILL at once.");
    v.integer("max_output_bytes", max_output_bytes, kMaxOutputBytes, kMaxOutputDescription);
    v.flag("verbose", verbose, kVerboseDescription);
  }
};

struct Answer {
  CommandAnswer command;
  std::vector<Survivor> survivors;
};

void describe(ResultVisitor& v, const Answer& answer) {
  describe(v, answer.command);
  v.list("survivors", answer.survivors, "Processes that still run after the signals.");
}

boost::asio::awaitable<Answer> cancel_command(ToolContext context, CancelCommandArgs args) {
  const TextView view = ViewArgs().view(context.default_view);
  CancelledCommand cancelled = co_await context.manager->cancel_command(
      args.window_id, args.force, view, output_limit(args.max_output_bytes, view));
  Answer answer;
  answer.command.result = std::move(cancelled.result);
  answer.command.verbose = args.verbose;
  answer.survivors = std::move(cancelled.survivors);
  co_return answer;
}

}  // namespace

Tool cancel_command_tool() {
  return make_tool<&cancel_command>("cancel_command",
                                    "End a tab's command: Ctrl-C, SIGTERM after 500 ms, SIGKILL "
                                    "after 5 s. Returns what it printed.",
                                    {.destructive = true, .idempotent = true}, {.ends_things = true});
}

}  // namespace terminally
