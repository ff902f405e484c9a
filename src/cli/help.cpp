// terminally-mcp help and version: what --help and --version say, in the words that people try first.

#include <CLI/CLI.hpp>
#include <memory>

#include "base/error.hpp"
#include "cli/subcommands.hpp"
#include "manual/manual.hpp"
#include "system/this_build.hpp"
#include "terminal/print.hpp"

namespace terminally {
namespace {

/// Of this one, though a subcommand was chosen.
std::string help_of(const CLI::App& command, const std::string& called) {
  return command.get_formatter()->make_help(&command, called, CLI::AppFormatMode::Normal);
}

int help(const CLI::App& app, const std::string& subcommand, bool as_manual) {
  const auto& page_of = as_manual ? manual_page : help_of;
  if (subcommand.empty()) {
    print(page_of(app, app.get_name()));
    return 0;
  }
  for (const CLI::App* one : shown_subcommands(app)) {
    if (one->get_name() == subcommand) {
      print(page_of(*one, app.get_name() + " " + subcommand));
      return 0;
    }
  }
  throw Error(ErrorCode::invalid_argument,
              "\"" + subcommand + "\" is no subcommand; terminally-mcp help lists them");
}

}  // namespace

void add_help(CLI::App& app, Config& /*config*/, Action& action) {
  const auto subcommand = std::make_shared<std::string>();
  const auto as_manual = std::make_shared<bool>(false);
  CLI::App* command = app.add_subcommand("help", "What there is, or what one subcommand does");
  command->add_option("subcommand", *subcommand, "Which one; none: all of them")->type_name("COMMAND");
  command->add_flag("--man", *as_manual, "As a manual page: terminally-mcp help --man | man -l -");
  command->footer(
      "Examples:\n"
      "  terminally-mcp help\n"
      "  terminally-mcp help exec");
  command->callback([&app, &action, subcommand, as_manual] {
    action = [&app, subcommand, as_manual] { return help(app, *subcommand, *as_manual); };
  });
}

void add_version(CLI::App& app, Config& /*config*/, Action& action) {
  CLI::App* command = app.add_subcommand("version", "The version, architecture and build of this program");
  command->footer(
      "Examples:\n"
      "  terminally-mcp version");
  command->callback([&action] {
    action = [] {
      print("terminally-mcp " + text_of(this_build()) + "\n");
      return 0;
    };
  });
}

}  // namespace terminally
