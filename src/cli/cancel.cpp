// terminally-mcp cancel: ends what runs in a tab, by force if it must.

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/arguments.hpp"
#include "cli/subcommands.hpp"
#include "terminal/guest.hpp"
#include "terminal/outcome.hpp"
#include "terminal/print.hpp"

namespace terminally {
namespace {

struct CancelOptions {
  std::string tab;
  bool force = false;
};

int cancel(const Config& given, const CancelOptions& options) {
  const Config config = guest_config(given);
  QueryCommand command;
  command.window_id = tab_of(config, options.tab);
  command.max_output_bytes = 0;
  const CommandResult result = ask_as_guest<CommandResult>(
      config, [&](TmuxManager& manager) { return manager.stops().cancel_command(command, options.force); });
  for (const std::string& note : result.notes) {
    complain(note);
  }
  complain_of(result.survivors);
  const std::string code = result.exit_code ? ", exit code " + std::to_string(*result.exit_code) : "";
  print(std::string(to_string(result.state)) + code + "\n");
  return result.state == CommandState::running ? 1 : 0;
}

}  // namespace

void add_cancel(CLI::App& app, Config& config, Action& action) {
  const auto options = std::make_shared<CancelOptions>();
  CLI::App* command =
      app.add_subcommand("cancel", "Ends what runs in a tab: C-c, SIGTERM, SIGKILL after 5 s; the tab stays");
  add_tab_argument(*command, options->tab, "The tab")->required();
  command->add_flag("--force", options->force, "SIGKILL at once");
  command->footer(
      "What was detached (nohup, setsid) lives on, and is named. Exit code: 1 where it still runs.\n"
      "Examples:\n"
      "  terminally-mcp cancel @3\n"
      "  terminally-mcp cancel build --force");
  command->callback(
      [&config, &action, options] { action = [&config, options] { return cancel(config, *options); }; });
}

}  // namespace terminally
