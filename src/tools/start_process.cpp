// start_process: starts a command and returns at once, or waits for something; its output goes to the log.
#include "base/error.hpp"
#include "tmux/manager.hpp"
#include "toolkit/answers.hpp"
#include "toolkit/shared_args.hpp"
#include "toolkit/tool.hpp"

namespace terminally {

namespace {

struct Started {
  StartedProcess process;
  std::optional<WaitForResult> waited;
  bool tab_was_named = true;  ///< the caller passed the window_id
};

void describe(ResultVisitor& v, const Started& started) {
  v.text("window_id", to_string(started.process.window_id), "The tab it runs in.",
         show_if(!started.tab_was_named));
  v.in_text({.plain = InText::kNever});
  v.flag_or_null(
      "started", started.process.started,
      "False when the text was only placed at the prompt, or not taken; null when it is not known yet.");
  v.in_text({.plain = InText::kAlways});
  v.text_or_null("command_id", started.process.command_id, "Pass it to get_command_state.");
  v.count("start_byte", started.process.start_byte, "Log offset where its output begins.");
  describe_waited(v, started.waited);
  std::vector<std::string> notes = started.process.notes;
  if (started.waited) {
    notes.insert(notes.end(), started.waited->notes.begin(), started.waited->notes.end());
  }
  v.texts("notes", notes, "Remarks on this result.", show_if(!notes.empty()));
}

struct StartProcessArgs {
  StartProcess request;
  WaitArgs wait;

  void describe(ArgsVisitor& v) {
    v.tab("window_id", request.window_id, kTabOrMainDescription);
    v.text("command", Need::required, request.command, kCommandBytes, "Command or script.");
    v.text("cwd", Need::optional, request.cwd, kPathBytes, "Go there first.");
    v.flag("append_newline", request.append_newline, "False: not entered.");
    wait.describe(v, Need::optional);
  }
};

boost::asio::awaitable<Started> start_process(ToolContext context, StartProcessArgs args) {
  std::optional<WaitTerms> waiting = args.wait.checked_waiting(context.default_view);
  if (waiting && !args.request.append_newline) {
    throw Error(
        ErrorCode::invalid_argument,
        "until: given with append_newline: false, which starts nothing to wait for; allowed: one of the two");
  }
  args.request.who = std::move(context.caller.client);
  args.request.task_key = std::move(context.caller.call_key);
  args.request.timeout_ms = args.wait.timeout_ms();
  const auto arrived = Clock::now();
  Started started;
  started.tab_was_named = args.request.window_id.has_value();
  started.process = co_await context.manager->commands().start_process(std::move(args.request));
  if (waiting) {
    WaitFor wait;
    wait.window_id = started.process.window_id;
    wait.waiting = *std::move(waiting);
    wait.waiting.arrived = arrived;
    wait.from_byte = started.process.start_byte;
    started.waited = co_await context.manager->output().wait_behind(std::move(wait), started.process.notes);
  }
  co_return started;
}

}  // namespace

Tool start_process_tool() {
  return make_tool<&start_process>("start_process",
                                   "Start a server, watcher or long command in a tab; return at once, or "
                                   "with until.",
                                   {.destructive = true, .open_world = true},
                                   {.begins = Begins::process, .has_timeout = true, .takes_host = true});
}

}  // namespace terminally
