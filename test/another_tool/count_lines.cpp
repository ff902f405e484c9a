// count_lines: how many lines a tab's log has. The tool that CONTRIBUTING.md adds.
#include "tmux/manager.hpp"
#include "toolkit/shared_args.hpp"
#include "toolkit/tool.hpp"

namespace terminally {
namespace {

struct CountLinesArgs {
  WindowId window_id;
  std::uint64_t most = 1'000;

  void describe(ArgsVisitor& v) {
    v.tab("window_id", window_id, kTabDescription);
    v.integer("most", Need::optional, most, {1, 1'000'000}, "Stop counting there.");
  }
};

struct CountedLines {
  std::uint64_t lines = 0;
};

void describe(ResultVisitor& v, const CountedLines& counted) {
  v.count("lines", counted.lines, "Lines, an unfinished last one included.");
}

boost::asio::awaitable<CountedLines> count_lines(ToolContext context, CountLinesArgs args) {
  const LogLines lines = co_await context.manager->output().read_lines(args.window_id, args.most, TextView());
  co_return CountedLines{lines.returned_lines};
}

}  // namespace

Tool count_lines_tool() {
  return make_tool<&count_lines>("count_lines", "Count the lines of a tab's log.",
                                 {.read_only = true, .idempotent = true});
}

}  // namespace terminally
