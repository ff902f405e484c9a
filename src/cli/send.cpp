// terminally-mcp send: types text or keys into what runs in a tab.

#include <CLI/CLI.hpp>
#include <memory>
#include <vector>

#include "cli/arguments.hpp"
#include "cli/subcommands.hpp"
#include "terminal/guest.hpp"
#include "terminal/print.hpp"

namespace terminally {
namespace {

struct SendOptions {
  std::string tab;
  std::vector<std::string> words;
  bool keys = false;
  bool no_enter = false;
};

Awaitable<SentInput> sent(TmuxManager& manager, WindowId tab, const SendOptions& options) {
  if (options.keys) {
    SendKeys request;
    request.window_id = tab;
    request.keys = options.words;
    return manager.input().send_keys(std::move(request));
  }
  SendText request;
  request.window_id = tab;
  request.submit = !options.no_enter;
  for (const std::string& word : options.words) {
    request.text += (request.text.empty() ? "" : " ") + word;
  }
  return manager.input().send_text(std::move(request));
}

int send(const Config& given, const SendOptions& options) {
  const Config config = guest_config(given);
  const WindowId tab = tab_of(config, options.tab);
  const SentInput input =
      ask_as_guest<SentInput>(config, [&](TmuxManager& manager) { return sent(manager, tab, options); });
  for (const std::string& note : input.notes) {
    complain(note);
  }
  return 0;
}

}  // namespace

void add_send(CLI::App& app, Config& config, Action& action) {
  const auto options = std::make_shared<SendOptions>();
  CLI::App* command = app.add_subcommand("send", "Types text, or presses keys, in what runs in a tab");
  add_tab_argument(*command, options->tab, "The tab")->required();
  command->add_option("text", options->words, "What to type; several words are joined by blanks")
      ->required()
      ->type_name("TEXT");
  const auto keys =
      command->add_flag("-k,--keys", options->keys, "The words are keys: Enter, C-c, Up, F1, q");
  command->add_flag("-n,--no-enter", options->no_enter, "Do not press Enter behind the text")->excludes(keys);
  command->footer(
      "Examples:\n"
      "  terminally-mcp send @3 yes\n"
      "  terminally-mcp send build --keys C-c\n"
      "  terminally-mcp send @3 --keys Down Down Enter");
  command->callback(
      [&config, &action, options] { action = [&config, options] { return send(config, *options); }; });
}

}  // namespace terminally
