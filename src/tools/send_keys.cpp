// send_keys: presses keys in a tab.
#include "tmux/manager.hpp"
#include "tools/all_tools.hpp"
#include "tools/limits.hpp"
#include "tools/sent_input.hpp"
#include "tools/tool.hpp"

namespace terminally {
namespace {

struct Args {
  SendKeys request;

  void describe(ArgsVisitor& v) {
    v.tab("window_id", request.window_id, kTabDescription);
    v.texts("keys", request.keys, kMostKeys,
            "Each one character or a name: C-c, M-x, S-Up, Enter, Escape, Tab, BSpace, Up, PageDown, F5.");
  }
};

boost::asio::awaitable<SentInput> send_keys(ToolContext context, Args args) {
  co_return co_await context.manager->send_keys(std::move(args.request));
}

}  // namespace

Tool send_keys_tool() {
  return make_tool<&send_keys>("send_keys",
                               "Press keys in a tab, to drive vim, less, a menu; see read_screen.",
                               {.destructive = true, .open_world = true});
}

}  // namespace terminally
