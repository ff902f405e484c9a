// read_screen: reads a tab's screen as a person sees it.
#include "tmux/manager.hpp"
#include "toolkit/shared_args.hpp"
#include "toolkit/tool.hpp"

namespace terminally {
namespace {

struct Cursor {
  std::uint64_t row = 0;
  std::uint64_t col = 0;
};

void describe(ResultVisitor& v, const Cursor& cursor) {
  v.count("row", cursor.row, "From 0, the screen's first row.");
  v.count("col", cursor.col, "From 0.");
}

struct ReadScreenArgs {
  ReadScreen request;

  void describe(ArgsVisitor& v) {
    v.tab("window_id", request.window_id, kTabDescription);
    v.integer("scrollback_lines", Need::optional, request.scrollback_lines, {0, 10'000}, "Lines above.");
    v.flag("strip_ansi", request.strip_ansi, "False: keep colours.");
    v.integer("skip_rows", Need::optional, request.skip_rows, {0, 100'000}, "Last rows to leave out.");
  }
};

boost::asio::awaitable<TabScreen> read_screen(ToolContext context, ReadScreenArgs args) {
  args.request.guard = context.default_view.guard;
  co_return co_await context.manager->output().read_screen(args.request);
}

}  // namespace

static void describe(ResultVisitor& v, const TabScreen& screen) {
  const Cursor cursor{screen.cursor_row, screen.cursor_col};
  const ResultVisitor::Item item = [&cursor](ResultVisitor& of) { describe(of, cursor); };
  v.log_text("text", screen.text, "The rows; blank ones at the end are left out.");
  v.count("rows", screen.rows, "Height.");
  v.count("cols", screen.cols, "Width.");
  v.object("cursor", item, "Where the cursor is.");
  v.flag("alternate_screen", screen.alternate_screen, "A full-screen program shows.");
  v.text("title", screen.title, "As the program set it.");
  v.count("omitted_rows", screen.omitted_rows, "Rows above that did not fit.",
          show_if(screen.omitted_rows > 0));
  v.texts("notes", screen.notes, "Remarks on this result.", show_if(!screen.notes.empty()));
}

Tool read_screen_tool() {
  return make_tool<&read_screen>("read_screen", "A tab's screen now.",
                                 {.read_only = true, .idempotent = true});
}

}  // namespace terminally
