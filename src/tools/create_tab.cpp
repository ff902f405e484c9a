// create_tab: opens a new tab with its own shell.
#include "tab/window_size.hpp"
#include "tmux/manager.hpp"
#include "toolkit/shared_args.hpp"
#include "toolkit/tool.hpp"

namespace terminally {

static void describe(ResultVisitor& v, const CreatedTab& tab) {
  v.text("window_id", to_string(tab.window_id), "Tab id, for every other tool.");
  v.in_text({.plain = InText::kNever});
  v.text("name", tab.name, "Tab name.");
  v.text("log_path", tab.log_path, "File with every byte the tab prints.");
  v.in_text({.plain = InText::kNever});
}

namespace {

constexpr Range kCols = {kLeastSize.cols, kMostSize.cols};
constexpr Range kRows = {kLeastSize.rows, kMostSize.rows};

struct CreateTabArgs {
  CreateTab request;

  void describe(ArgsVisitor& v) {
    v.text("name", Need::optional, request.name, kNameBytes, "Default: the shell's.");
    v.text("cwd", Need::optional, request.cwd, kPathBytes, "Default: project.");
    v.text_map("env", request.env, "To add.");
    v.integer("cols", request.cols, kCols, "Width.");
    v.integer("rows", request.rows, kRows, "Height.");
    v.flag("login", request.login, "Read the profile.");
    v.text("shell", Need::optional, request.shell, kPathBytes, "Default: $SHELL.");
  }
};

boost::asio::awaitable<CreatedTab> create_tab(ToolContext context, CreateTabArgs args) {
  co_return co_await context.manager->tabs().create(std::move(args.request));
}

}  // namespace

Tool create_tab_tool() {
  return make_tool<&create_tab>("create_tab",
                                "Open a tab: its own shell, cwd and variables. Tabs work in parallel.", {},
                                {.takes_host = true, .gives_env = true, .names_tab = true});
}

}  // namespace terminally
