// terminally-mcp token: prints what lets a program in at `serve`.

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "cli/subcommands.hpp"
#include "http/tokens.hpp"
#include "terminal/print.hpp"

namespace terminally {
namespace {

struct TokenOptions {
  std::string role = "exec";
  bool rotate = false;
};

int print_token(const Config& config, const TokenOptions& options) {
  const Role role = options.role == "view" ? Role::view : Role::exec;
  Tokens tokens(config.state_root);
  print((options.rotate ? tokens.rotate(role) : tokens.token_of(role)) + "\n");
  if (options.rotate) {
    complain("clients that have the old one are let in no more: `terminally-mcp setup CLIENT --http --role " +
             options.role + "` gives them the new one; doctor names them");
  }
  return 0;
}

}  // namespace

void add_token(CLI::App& app, Config& config, Action& action) {
  const auto options = std::make_shared<TokenOptions>();
  CLI::App* command = app.add_subcommand(
      "token", "Prints the token by which programs reach MCP over HTTP, at /mcp of `terminally-mcp serve`");
  command
      ->add_option("--role", options->role,
                   "exec: may do all that tools do; view: may only look; default exec")
      ->check(CLI::IsMember({"view", "exec"}).description(""))
      ->type_name("view|exec");
  command->add_flag("--rotate", options->rotate,
                    "Make a new one; the old one is good for nothing from now on");
  command->footer(
      "Whoever has it can do what you can. It is kept in the state directory, in a file for you alone.\n"
      "Examples:\n"
      "  terminally-mcp token\n"
      "  terminally-mcp token --role view\n"
      "  curl -H \"Authorization: Bearer $(terminally-mcp token)\" http://127.0.0.1:7332/mcp ...");
  command->callback(
      [&config, &action, options] { action = [&config, options] { return print_token(config, *options); }; });
}

}  // namespace terminally
