// send_keys: presses keys in a tab.
#include "tmux/manager.hpp"
#include "toolkit/answers.hpp"
#include "toolkit/shared_args.hpp"
#include "toolkit/tool.hpp"

namespace terminally {
namespace {

struct SendKeysArgs {
  SendKeys request;
  WaitArgs wait;

  void describe(ArgsVisitor& v) {
    v.tab("window_id", request.window_id, kTabDescription);
    v.texts("keys", request.keys, kMostKeys,
            "Each one character or a name: C-c, M-x, S-Up, Enter, Escape, Up, PageDown, F5.");
    wait.describe(v, Need::optional);
  }
};

boost::asio::awaitable<SentAnswer> send_keys(ToolContext context, SendKeysArgs args) {
  const std::optional<WaitTerms> waiting = args.wait.checked_waiting(context.default_view);
  const WindowId window = args.request.window_id;
  SentInput sent = co_await context.manager->input().send_keys(std::move(args.request));
  co_return co_await answer_after(context, window, std::move(sent), waiting);
}

}  // namespace

Tool send_keys_tool() {
  return make_tool<&send_keys>("send_keys", "Press keys in a tab: vim, less, menus; see read_screen.",
                               {.destructive = true, .open_world = true});
}

}  // namespace terminally
