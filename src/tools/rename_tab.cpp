// rename_tab: gives a tab another name.
#include "tmux/manager.hpp"
#include "toolkit/shared_args.hpp"
#include "toolkit/tool.hpp"

namespace terminally {
namespace {

struct RenameTabArgs {
  WindowId window_id;
  std::string name;

  void describe(ArgsVisitor& v) {
    v.tab("window_id", window_id, kTabDescription);
    v.text("name", Need::required, name, {1, kNameBytes.max}, "No control characters.");
  }
};

void describe(ResultVisitor& v, const RenameTabArgs& renamed) {
  v.text("window_id", to_string(renamed.window_id), "The tab.");
  v.in_text({.plain = InText::kNever});
  v.text("name", renamed.name, "Its name now.");
}

boost::asio::awaitable<RenameTabArgs> rename_tab(ToolContext context, RenameTabArgs args) {
  co_await context.manager->tabs().rename(args.window_id, args.name);
  co_return args;
}

}  // namespace

Tool rename_tab_tool() {
  return make_tool<&rename_tab>("rename_tab", "Rename a tab.", {.idempotent = true}, {.names_tab = true});
}

}  // namespace terminally
