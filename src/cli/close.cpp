// terminally-mcp close: ends what runs in a tab, and closes it.

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/arguments.hpp"
#include "cli/subcommands.hpp"
#include "terminal/guest.hpp"
#include "terminal/outcome.hpp"
#include "terminal/print.hpp"

namespace terminally {
namespace {

struct CloseOptions {
  std::string tab;
  bool force = false;
};

int close_one(const Config& given, const CloseOptions& options) {
  const Config config = guest_config(given);
  const WindowId tab = tab_of(config, options.tab);
  const ClosedTab closed = ask_as_guest<ClosedTab>(
      config, [&](TmuxManager& manager) { return manager.tabs().close(tab, options.force); });
  complain_of(closed.survivors);
  if (!closed.closed) {
    complain("tab " + to_string(tab) + " is not closed yet");
  }
  return closed.closed ? 0 : 1;
}

}  // namespace

void add_close(CLI::App& app, Config& config, Action& action) {
  const auto options = std::make_shared<CloseOptions>();
  CLI::App* command =
      app.add_subcommand("close", "Ends what runs in a tab, and closes it; its log stays readable");
  add_tab_argument(*command, options->tab, "The tab")->required();
  command->add_flag("--force", options->force, "Kill at once, also what was detached");
  command->footer(
      "Examples:\n"
      "  terminally-mcp close @3\n"
      "  terminally-mcp close build --force");
  command->callback(
      [&config, &action, options] { action = [&config, options] { return close_one(config, *options); }; });
}

}  // namespace terminally
