// stop_process: sends one signal to what has the foreground of a tab.
#include "tmux/manager.hpp"
#include "toolkit/answers.hpp"
#include "toolkit/shared_args.hpp"
#include "toolkit/tool.hpp"

namespace terminally {

static void describe(ResultVisitor& v, const StoppedProcess& process) {
  v.flag("success", process.success, "The process ended within 2 s.");
  v.in_text({.plain = InText::kAlways, .words = "ended", .if_false = "not ended"});
  v.choice("state", to_string(process.state), command_state_names(), "State of the command.");
  v.in_text({.plain = InText::kNever});
  v.integer_or_null("exit_code", process.exit_code,
                    "Null while it runs, or when the exit code cannot be known.");
  v.in_text({.words = "exit #"});
  v.list("survivors", process.survivors, "Processes of it that live on.");
  v.in_text({.plain = "[]"});
  v.texts("notes", process.notes, "Remarks on this result.", show_if(!process.notes.empty()));
}

namespace {

struct StopProcessArgs {
  WindowId window_id;
  std::size_t signal = 0;

  void describe(ArgsVisitor& v) {
    v.tab("window_id", window_id, kTabDescription);
    v.choice("signal", signal, {"SIGINT", "SIGTERM"}, "SIGINT is Ctrl-C.");
  }
};

boost::asio::awaitable<StoppedProcess> stop_process(ToolContext context, StopProcessArgs args) {
  const StopSignal signal = args.signal == 0 ? StopSignal::interrupt : StopSignal::terminate;
  co_return co_await context.manager->stops().stop_process(args.window_id, signal);
}

}  // namespace

Tool stop_process_tool() {
  return make_tool<&stop_process>("stop_process",
                                  "Send one signal to a tab's foreground; cancel_command escalates.",
                                  {.destructive = true}, {.ends_things = true});
}

}  // namespace terminally
