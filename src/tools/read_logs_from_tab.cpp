// read_logs_from_tab: reads the last lines of a tab's log.
#include "tmux/manager.hpp"
#include "toolkit/shared_args.hpp"
#include "toolkit/tool.hpp"

namespace terminally {

static void describe(ResultVisitor& v, const LogLines& lines) {
  v.log_text("content", lines.content, "The lines.");
  v.count("returned_lines", lines.returned_lines, "How many; an unfinished last line counts.");
  v.in_text({.plain = InText::kNever});
  v.flag("truncated", lines.truncated, "Earlier lines exist, or the answer was cut at 256 KiB.");
  v.count("next_byte", lines.next_byte, "Where stream_logs_from_tab goes on.");
  v.texts("notes", lines.notes, "Remarks on this result.", show_if(!lines.notes.empty()));
}

namespace {

struct ReadLogsFromTabArgs {
  WindowId window_id;
  std::uint64_t lines = 500;
  ViewArgs view;

  void describe(ArgsVisitor& v) {
    v.tab("window_id", window_id, kTabDescription);
    v.integer("lines", Need::optional, lines, {1, 1'000'000}, "");
    view.describe(v);
  }
};

boost::asio::awaitable<LogLines> read_logs(ToolContext context, ReadLogsFromTabArgs args) {
  co_return co_await context.manager->output().read_lines(args.window_id, args.lines,
                                                          args.view.view(context.default_view));
}

}  // namespace

Tool read_logs_from_tab_tool() {
  return make_tool<&read_logs>("read_logs_from_tab",
                               "The last lines of a tab's log, prompts and typed text included.",
                               {.read_only = true, .idempotent = true});
}

}  // namespace terminally
