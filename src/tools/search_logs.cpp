// search_logs: finds the lines of a tab's log that match a regex.
#include "tmux/manager.hpp"
#include "toolkit/shared_args.hpp"
#include "toolkit/tool.hpp"

namespace terminally {

static void describe(ResultVisitor& v, const FoundLine& found) {
  v.text("line", found.line, "The line, without escape sequences; a long one is cut around the match.");
  v.count("byte", found.byte, "Log offset of its first match.");
  v.texts("before", found.before, "Lines before it, without those of the previous match.",
          show_if(!found.before.empty()));
  v.texts("after", found.after, "Lines after it, up to the next match.", show_if(!found.after.empty()));
}

static void describe(ResultVisitor& v, const FoundLines& found) {
  v.list("matches", found.matches, "The lines that match, in order.");
  v.in_text({.as_lines = true});
  v.count("next_byte", found.next_byte, "Pass it as from_byte to search on.");
  v.flag("truncated", found.truncated, "The log goes on: there may be more matches from next_byte on.");
  v.in_text({.words = "more may follow"});
  v.texts("notes", found.notes, "Remarks on this result.", show_if(!found.notes.empty()));
}

namespace {

struct SearchLogsArgs {
  SearchLogs request;

  void describe(ArgsVisitor& v) {
    v.tab("window_id", request.window_id, kTabDescription);
    v.text("pattern", Need::required, request.pattern, kPatternBytes, "PCRE2, per line.");
    v.integer("context_lines", Need::optional, request.context_lines, {0, 20}, "Around.");
    v.integer("max_matches", Need::optional, request.max_matches, {1, 1'000}, "");
    v.integer("from_byte", Need::optional, request.from_byte, kLogOffset, "Log offset.");
    v.flag("ignore_case", request.ignore_case, "Any case.");
  }
};

boost::asio::awaitable<FoundLines> search_logs(ToolContext context, SearchLogsArgs args) {
  args.request.guard = context.default_view.guard;
  co_return co_await context.manager->output().search_logs(std::move(args.request));
}

}  // namespace

Tool search_logs_tool() {
  return make_tool<&search_logs>("search_logs", "Search a tab's log by a regular expression.",
                                 {.read_only = true, .idempotent = true});
}

}  // namespace terminally
