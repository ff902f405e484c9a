// terminally-mcp setup and uninstall: this program in the configuration of MCP clients.

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>

#include "app/serve_page.hpp"
#include "base/error.hpp"
#include "cli/arguments.hpp"
#include "cli/subcommands.hpp"
#include "setup/client_states.hpp"
#include "setup/setup.hpp"
#include "shell/shell_text.hpp"
#include "terminal/guest.hpp"
#include "terminal/print.hpp"

namespace terminally {
namespace {

struct SetupOptions {
  std::string client;
  std::string project;
  bool print = false;
  bool remove = false;
  HttpFlags http;
  SetupWish wish;
};

/// An empty line is a no.
bool ask(const std::string& question) {
  print(question + " [y/N] ");
  std::string answer;
  std::getline(std::cin, answer);
  return answer.starts_with('y') || answer.starts_with('Y');
}

SetupTalk talk_at_terminal() {
  SetupTalk talk;
  talk.say = print;
  talk.complain = complain;
  if (::isatty(STDIN_FILENO) != 0) {
    talk.ask = ask;
  }
  return talk;
}

std::filesystem::path copies_in(const Config& config) {
  return config.state_root / ".setup";
}

int list_clients(const SetupOptions& options) {
  std::vector<TableRow> rows = {{"CLIENT", "", "CONFIGURATION", ""}};
  const std::string project = options.project.empty() ? "" : " --project " + posix_quoted(options.project);
  std::string next;
  for (const McpClient& client : all_clients()) {
    const ClientState state = state_of(client, options.wish.places, program_to_set_up());
    const std::string name(client.name);
    rows.push_back(
        {name, std::string(client.title), on_one_line(state.file.string()), on_one_line(in_words(state))});
    next +=
        state.kind == ClientState::Kind::not_set_up ? "  terminally-mcp setup " + name + project + "\n" : "";
  }
  print(table(rows) + (next.empty() ? "\nTo set another one up: terminally-mcp setup CLIENT" + project + "\n"
                                    : "\nFound here, and to be set up by:\n" + next));
  return 0;
}

int run_setup(const Config& config, SetupOptions options) {
  options.wish.places = client_places(options.project);
  if (options.client.empty()) {
    return list_clients(options);
  }
  const McpClient& client = client_named(options.client);
  if (options.http.on) {
    options.wish.http = http_setup(config, page_links(config), options.http);
  }
  if (options.print) {
    print(printed_setup(client, options.wish));
    return 0;
  }
  return options.remove ? take_away({&client}, options.wish, talk_at_terminal(), copies_in(config))
                        : set_up(client, options.wish, talk_at_terminal(), copies_in(config));
}

/// A tmux that has lost its last tab stays for the next one.
std::string what_runs_in(const Config& config, const std::string& name) {
  const Instance instance(config, name);
  std::string lines;
  if (instance.server_lives()) {
    for (const TabInfo& tab : tabs_of(guest_of(config, name))) {
      const std::string id = to_string(tab.window_id);
      lines += "  tab " + id + " of " + name + ", " + on_one_line(tab.name) + (tab.busy ? ", busy" : "") +
               ": terminally-mcp --instance " + name + " close " + id + "\n";
    }
    lines += "  tmux of " + name + ", once it has no tab: terminally-mcp instances clean\n";
  }
  const int server = instance.owner_pid();
  return server == 0 ? lines
                     : lines + "  the server of " + name + ", pid " + std::to_string(server) +
                           ": ends with its client\n";
}

/// None of it is in a configuration, and all of it goes on.
void say_what_runs(const Config& config) {
  const int page = page_server(config);
  std::string lines =
      page == 0 ? "" : "  serve, pid " + std::to_string(page) + ": terminally-mcp serve --stop\n";
  for (const std::string& name : used_instances(config)) {
    try {
      lines += what_runs_in(config, name);
    } catch (const Error& error) {  // the others are named all the same
      complain(name + ": " + error.what());
    }
  }
  print(lines.empty() ? "" : "what still runs, and what ends it:\n" + lines);
}

int run_uninstall(const Config& config, SetupOptions options) {
  options.wish.places = client_places(options.project);
  std::vector<const McpClient*> clients;
  for (const McpClient& client : all_clients()) {
    clients.push_back(&client);
  }
  const int code = take_away(clients, options.wish, talk_at_terminal(), copies_in(config));
  if (code == 0) {
    print("left are this program, " + program_to_set_up() + ", and the logs, tokens and copies in " +
          config.state_root.string() + "; remove them as you like\n");
    say_what_runs(config);
  }
  return code;
}

void add_common(CLI::App& command, SetupOptions& options) {
  command
      .add_option("--project", options.project,
                  "The configuration of the project that this directory is in, in place of your own")
      ->type_name(kDirectoryType)
      ->check(CLI::Validator(CLI::ExistingDirectory).description(""));
  command.add_flag("--yes,-y", options.wish.yes, "Ask nothing, and do it");
}

void add_http(CLI::App& command, HttpFlags& flags) {
  CLI::Option* http = command.add_flag(
      "--http", flags.on, "Have the client reach terminally-mcp serve, by its address and a token");
  command.add_option("--address", flags.address, "Where that is; default where it runs, or 127.0.0.1:7332")
      ->type_name("ADDRESS:PORT")
      ->needs(http);
  command.add_option("--role", flags.role, "With --http: view: the client may only look; default exec")
      ->check(CLI::IsMember({"view", "exec"}).description(""))
      ->type_name("view|exec")
      ->needs(http);
}

}  // namespace

void add_setup(CLI::App& app, Config& config, Action& action) {
  const auto options = std::make_shared<SetupOptions>();
  CLI::App* command =
      app.add_subcommand("setup", "Write this program into the configuration of an MCP client");
  command->add_option("client", options->client, "Whose configuration; without one: list them")
      ->type_name("claude|claude-desktop|cursor|vscode|codex|gemini|zed|windsurf|opencode");
  add_common(*command, *options);
  command->add_flag("--print", options->print, "Print what to add by hand, and change nothing");
  command->add_flag("--remove", options->remove, "Take away what setup wrote");
  command->add_flag("--advise", options->wish.advise,
                    "Add the lines that make agents use it, to CLAUDE.md or AGENTS.md");
  command->add_flag("--allow", options->wish.allow, "Let the client call its tools without asking you");
  add_http(*command, options->http);
  command->footer(
      "It shows each change and asks, keeps a copy, and starts or calls the server as the client will.\n"
      "Examples:\n"
      "  terminally-mcp setup claude\n"
      "  terminally-mcp setup vscode --project . --yes\n"
      "  terminally-mcp setup claude --http --instance work\n"
      "  terminally-mcp setup claude --remove");
  command->callback(
      [&config, &action, options] { action = [&config, options] { return run_setup(config, *options); }; });
}

void add_uninstall(CLI::App& app, Config& config, Action& action) {
  const auto options = std::make_shared<SetupOptions>();
  CLI::App* command = app.add_subcommand(
      "uninstall", "Take away what setup wrote, for all clients; say what is left and runs");
  add_common(*command, *options);
  command->footer(
      "Examples:\n"
      "  terminally-mcp uninstall                  your own configurations\n"
      "  terminally-mcp uninstall --project .      those of a project");
  command->callback([&config, &action, options] {
    action = [&config, options] { return run_uninstall(config, *options); };
  });
}

}  // namespace terminally
