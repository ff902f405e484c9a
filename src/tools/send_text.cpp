// send_text: types text into whatever runs in a tab.
#include "tmux/manager.hpp"
#include "tools/all_tools.hpp"
#include "tools/limits.hpp"
#include "tools/sent_input.hpp"
#include "tools/tool.hpp"

namespace terminally {

void describe(ResultVisitor& v, const SentInput& input) {
  v.count("sent", input.sent, "Bytes of text, or keys.");
  v.count("from_byte", input.from_byte, "Log offset before it was sent; what came of it follows.");
  v.texts("notes", input.notes, "What a reader should know.", show_if(!input.notes.empty()));
}

namespace {

struct Args {
  SendText request;

  void describe(ArgsVisitor& v) {
    v.tab("window_id", request.window_id, kTabDescription);
    v.text("text", Need::required, request.text, {0, kCommandBytes.max}, "What to type. A newline is Enter.");
    v.flag("submit", request.submit, "Press Enter after it.");
    v.flag("allow_control", request.allow_control, "Send control characters too.");
  }
};

boost::asio::awaitable<SentInput> send_text(ToolContext context, Args args) {
  co_return co_await context.manager->send_text(std::move(args.request));
}

}  // namespace

Tool send_text_tool() {
  return make_tool<&send_text>(
      "send_text",
      "Type text into the program that runs in a tab: answer its prompt, enter a password, feed a REPL.",
      {.destructive = true, .open_world = true});
}

}  // namespace terminally
