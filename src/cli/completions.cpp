// terminally-mcp completions: made from the command line's own description, so that they cannot go stale.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "cli/print.hpp"
#include "cli/subcommands.hpp"
#include "cli/value_types.hpp"
#include "setup/completion_scripts.hpp"

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

/// What a place takes is told by how the help names it: "a|b|c", or one of the names in value_types.hpp.
CompletionValue value_of(const std::string& type) {
  using Kind = CompletionValue::Kind;
  const std::map<std::string, Kind> kinds = {{kTabType, Kind::tabs},      {kInstanceType, Kind::instances},
                                             {kFileType, Kind::files},    {kDirectoryType, Kind::files},
                                             {kProgramType, Kind::files}, {kLogType, Kind::logs}};
  if (const auto known = kinds.find(type); known != kinds.end()) {
    return {known->second, {}};
  }
  CompletionValue value;
  if (type.find('|') != std::string::npos) {
    value.kind = Kind::words;
    value.words = CLI::detail::split(type, '|');
  }
  return value;
}

CompletionFlag described(const CLI::Option& option) {
  CompletionFlag flag;
  for (const std::string& name : option.get_snames()) {
    flag.names.push_back("-" + name);
  }
  for (const std::string& name : option.get_lnames()) {
    flag.names.push_back("--" + name);
  }
  flag.description = first_clause(option.get_description());
  flag.takes_value = option.get_items_expected_max() > 0;
  flag.value = value_of(option.get_type_name());
  return flag;
}

CompletionCommand described(const CLI::App& app) {
  CompletionCommand command;
  command.name = app.get_name();
  command.description = first_clause(app.get_description());
  bool first = true;
  for (const CLI::Option* option : app.get_options()) {
    if (!option->get_positional()) {
      command.flags.push_back(described(*option));
    } else if (std::exchange(first, false)) {
      command.argument = value_of(option->get_type_name());
    } else {
      command.takes_more = true;
    }
  }
  for (const CLI::App* child :
       app.get_subcommands([](const CLI::App* one) { return !one->get_group().empty(); })) {
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
      ->check(CLI::IsMember({"bash", "zsh", "fish"}).description(""))
      ->type_name("bash|zsh|fish");
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
