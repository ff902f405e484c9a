// start_process: starts a command and returns at once; its output goes to the log of the tab.
#include "tmux/manager.hpp"
#include "tools/all_tools.hpp"
#include "tools/limits.hpp"
#include "tools/tool.hpp"

namespace terminally {

static void describe(ResultVisitor& v, const StartedProcess& process) {
  v.flag("started", process.started, "False when the text was only placed at the prompt.");
  v.text_or_null("command_id", process.command_id, "For get_command_state.");
  v.count("start_byte", process.start_byte, "Log offset where its output begins, for stream_logs_from_tab.");
}

namespace {

struct Args {
  StartProcess request;

  void describe(ArgsVisitor& v) {
    v.tab("window_id", request.window_id, kTabDescription);
    v.text("command", Need::required, request.command, kCommandBytes,
           "Shell command or script of many lines.");
    v.flag("append_newline", request.append_newline,
           "False: place the text at the prompt, do not submit it.");
  }
};

boost::asio::awaitable<StartedProcess> start_process(ToolContext context, Args args) {
  co_return co_await context.manager->start_process(std::move(args.request));
}

}  // namespace

Tool start_process_tool() {
  return make_tool<&start_process>(
      "start_process",
      "Start a server, watcher or long command in a tab and return at once. Read its output with "
      "stream_logs_from_tab or read_logs_from_tab, end it with stop_process.",
      {.destructive = true, .open_world = true});
}

}  // namespace terminally
