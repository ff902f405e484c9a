// set_history_limit: sets how many lines people can scroll back in tabs that are opened from now on.
#include "tmux/manager.hpp"
#include "toolkit/tool.hpp"

namespace terminally {
namespace {

struct SetHistoryLimitArgs {
  std::uint64_t limit = 0;

  void describe(ArgsVisitor& v) { v.integer("limit", Need::required, limit, {100, 1'000'000}, "Lines."); }
};

struct Limit {
  std::uint64_t limit = 0;
};

void describe(ResultVisitor& v, const Limit& result) {
  v.flag("success", true, "Always true.");
  v.in_text({.plain = InText::kNever});
  v.count("limit", result.limit, "Lines.");
}

boost::asio::awaitable<Limit> set_history_limit(ToolContext context, SetHistoryLimitArgs args) {
  co_await context.manager->tabs().set_history_limit(static_cast<std::uint32_t>(args.limit));
  co_return Limit{args.limit};
}

}  // namespace

Tool set_history_limit_tool() {
  return make_tool<&set_history_limit>(
      "set_history_limit", "Scrollback of new tabs, for people. Logs keep all.", {.idempotent = true});
}

}  // namespace terminally
