// terminally-mcp new: opens a tab beside those of the agent.

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>

#include "cli/arguments.hpp"
#include "cli/guest.hpp"
#include "cli/subcommands.hpp"
#include "system/work_directory.hpp"
#include "terminal/print.hpp"

namespace terminally {
namespace {

/// Paths are those of the person who types, and so is the place where nothing is said.
int open_new(const Config& given, CreateTab request) {
  const Config config = guest_config(given);
  request.cwd = tidy_path(std::filesystem::absolute(request.cwd));
  const CreatedTab tab = ask_as_guest<CreatedTab>(
      config, [&](TmuxManager& manager) { return manager.tabs().create(std::move(request)); });
  print(to_string(tab.window_id) + "\n");
  return 0;
}

}  // namespace

void add_new(CLI::App& app, Config& config, Action& action) {
  const auto request = std::make_shared<CreateTab>();
  request->cwd = ".";
  CLI::App* command = app.add_subcommand("new", "Opens a tab in a running instance, and prints its id");
  command->add_option("name", request->name, "Its name; none: that of its shell")->type_name("NAME");
  command->add_option("--cwd", request->cwd, "Where it begins; none: here")->type_name(kDirectoryType);
  command->add_option("--shell", request->shell, "Its shell; none: $SHELL")->type_name(kProgramType);
  command->add_flag("--login", request->login, "Start the shell as a login shell");
  command->footer(
      "Examples:\n"
      "  terminally-mcp new build\n"
      "  terminally-mcp --instance work new --cwd ~/src --shell zsh\n"
      "  tab=$(terminally-mcp new) && terminally-mcp exec \"$tab\" -- make");
  command->callback(
      [&config, &action, request] { action = [&config, request] { return open_new(config, *request); }; });
}

}  // namespace terminally
