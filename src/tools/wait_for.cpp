// wait_for: waits for something that happens in a tab.
#include "tmux/manager.hpp"
#include "toolkit/answers.hpp"
#include "toolkit/shared_args.hpp"
#include "toolkit/tool.hpp"

namespace terminally {
namespace {

struct WaitForArgs {
  WaitFor request;
  WaitArgs wait;

  void describe(ArgsVisitor& v) {
    v.one_of_tabs("window_id", request.window_id, kTabDescription, "Several: the first.");
    wait.describe(v, Need::required);
    v.integer("from_byte", request.from_byte, kLogOffset, "Default: the command's start.");
  }
};

boost::asio::awaitable<WaitForResult> wait_for(ToolContext context, WaitForArgs args) {
  args.request.waiting = *args.wait.checked_waiting(context.default_view);
  if (!args.wait.has_timeout()) {
    args.request.waiting.timeout_ms = static_cast<std::uint64_t>(context.sync_window.count());
  }
  args.request.hand_over = !context.caller.task;  // a task blocks nobody
  co_return co_await context.manager->output().wait_for(std::move(args.request));
}

}  // namespace

Tool wait_for_tool() {
  return make_tool<&wait_for>("wait_for",
                              "Wait until a tab's command exits (that ends any wait), printed a pattern, is "
                              "silent, wants input or listens on a port.",
                              {.read_only = true, .idempotent = true},
                              {.task_support = TaskSupport::call, .has_timeout = true, .one_of_tabs = true});
}

}  // namespace terminally
