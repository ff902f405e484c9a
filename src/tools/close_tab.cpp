// close_tab: ends what runs in a tab, drains its log, closes it.
#include "tmux/manager.hpp"
#include "toolkit/answers.hpp"
#include "toolkit/shared_args.hpp"
#include "toolkit/tool.hpp"

namespace terminally {

static void describe(ResultVisitor& v, const ClosedTab& tab) {
  v.flag("closed", tab.closed, "The tab is gone.");
  v.in_text({.plain = InText::kAlways});
  v.list("survivors", tab.survivors, "Processes of it that live on.");
  v.in_text({.plain = "[]"});
}

namespace {

struct CloseTabArgs {
  WindowId window_id;
  bool force = false;

  void describe(ArgsVisitor& v) {
    v.tab("window_id", window_id, kTabDescription);
    v.flag("force", force, "Kill at once, setsid too.");
  }
};

boost::asio::awaitable<ClosedTab> close_tab(ToolContext context, CloseTabArgs args) {
  co_return co_await context.manager->tabs().close(args.window_id, args.force);
}

}  // namespace

Tool close_tab_tool() {
  return make_tool<&close_tab>("close_tab", "End what runs in a tab and close it. Its log stays.",
                               {.destructive = true, .idempotent = true}, {.ends_things = true});
}

}  // namespace terminally
