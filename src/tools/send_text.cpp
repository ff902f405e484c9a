// send_text: types text into whatever runs in a tab.
#include "tmux/manager.hpp"
#include "toolkit/answers.hpp"
#include "toolkit/shared_args.hpp"
#include "toolkit/tool.hpp"

namespace terminally {

namespace {

struct SendTextArgs {
  SendText request;
  WaitArgs wait;

  void describe(ArgsVisitor& v) {
    v.tab("window_id", request.window_id, kTabDescription);
    v.text("text", Need::required, request.text, {0, kCommandBytes.max}, "A newline is Enter.");
    v.flag("submit", request.submit, "False: no Enter.");
    v.flag("allow_control", request.allow_control, "Control characters, too.");
    wait.describe(v, Need::optional);
  }
};

boost::asio::awaitable<SentAnswer> send_text(ToolContext context, SendTextArgs args) {
  const std::optional<WaitTerms> waiting = args.wait.checked_waiting(context.default_view);
  const WindowId window = args.request.window_id;
  SentInput sent = co_await context.manager->input().send_text(std::move(args.request));
  co_return co_await answer_after(context, window, std::move(sent), waiting);
}

}  // namespace

Tool send_text_tool() {
  return make_tool<&send_text>("send_text",
                               "Type text into what runs in a tab: answer a prompt, feed a REPL.",
                               {.destructive = true, .open_world = true});
}

}  // namespace terminally
