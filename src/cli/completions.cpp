// terminally-mcp completions: made from the command line's own description, so that they cannot go stale.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "cli/completion_scripts.hpp"
#include "cli/print.hpp"
#include "cli/subcommands.hpp"
#include "cli/tab_argument.hpp"

namespace terminally {
namespace {

/// The first clause: completions show one line.
std::string first_clause(const std::string& text) {
  std::size_t end = text.size();
  for (const char* mark : {": ", "; ", " ("}) {
    end = std::min(end, text.find(mark));
  }
  return text.substr(0, end);
}

CompletionCommand described(const CLI::App& app) {
  CompletionCommand command;
  command.name = app.get_name();
  command.description = first_clause(app.get_description());
  for (const CLI::Option* option : app.get_options()) {
    command.takes_tab =
        command.takes_tab || (option->get_positional() && option->get_type_name() == kTabType);
    if (!option->get_positional()) {
      command.flags.push_back({option->get_snames(), option->get_lnames(),
                               first_clause(option->get_description()),
                               option->get_items_expected_max() > 0});
    }
  }
  for (const CLI::App* child : app.get_subcommands([](const CLI::App*) { return true; })) {
    command.commands.push_back(described(*child));
  }
  return command;
}

}  // namespace

void add_completions(CLI::App& app, Config& /*config*/, Action& action) {
  const auto shell = std::make_shared<std::string>();
  CLI::App* command =
      app.add_subcommand("completions", "Prints a script that completes this command line in your shell");
  command->add_option("shell", *shell, "The shell")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  command->footer(
      "Examples:\n"
      "  eval \"$(terminally-mcp completions bash)\"          in ~/.bashrc\n"
      "  eval \"$(terminally-mcp completions zsh)\"           in ~/.zshrc, after compinit\n"
      "  terminally-mcp completions fish > ~/.config/fish/completions/terminally-mcp.fish");
  command->callback([&app, &action, shell] {
    action = [&app, shell] {
      print(completion_script(*shell, described(app)));
      return 0;
    };
  });
}

}  // namespace terminally
