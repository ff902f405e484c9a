// terminally-mcp serve: shows the tabs of all instances to this user's browsers.

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <string>

#include "app/serve_page.hpp"
#include "base/error.hpp"
#include "cli/subcommands.hpp"
#include "terminal/print.hpp"

namespace terminally {
namespace {

void tell(const ListenPlace& place) {
  try {
    print("The page is at " + to_string(place) +
          ". terminally-mcp open enters it; C-c, or serve --stop elsewhere, ends it.\n");
  } catch (const OutputClosed&) {  // NOLINT(bugprone-empty-catch): nobody wants to know
  }
}

CLI::Validator listen_place(std::optional<ListenPlace>& place) {
  return CLI::Validator(
      [&place](const std::string& text) {
        try {
          place = parse_listen_place(text);
        } catch (const Error& error) {
          return std::string(error.what());
        }
        return std::string();
      },
      "");
}

int stop(const Config& config) {
  const int pid = stop_page(config);
  print(pid == 0 ? "Nothing serves the page.\n"
                 : "Ended serve, pid " + std::to_string(pid) + ". Tabs and their commands go on.\n");
  return 0;
}

struct ServeOptions {
  bool stop = false;
  std::string text;
  std::optional<ListenPlace> place;
};

}  // namespace

void add_serve(CLI::App& app, Config& config, Action& action) {
  const auto options = std::make_shared<ServeOptions>();
  CLI::App* command = app.add_subcommand(
      "serve", "Serves a page that shows the tabs of all instances, live, to your browsers on this machine");
  CLI::Option* listen =
      command
          ->add_option(
              "--listen", options->text,
              "Where: a loopback address, or a Unix socket; default 127.0.0.1:7332, or the next free port")
          ->type_name("ADDRESS:PORT|unix:PATH")
          ->check(listen_place(options->place));
  command
      ->add_flag("--stop", options->stop, "End the one that runs, also in the background, as open starts it")
      ->excludes(listen);
  command->footer(
      "There is one for each user, and it may end at any time: it shows what others run.\n"
      "Examples:\n"
      "  terminally-mcp serve\n"
      "  terminally-mcp serve --stop\n"
      "  terminally-mcp serve --listen unix:/run/user/1000/terminally.sock");
  command->callback([&config, &action, options] {
    action = [&config, options] {
      return options->stop ? stop(config) : serve_page(config, options->place, tell);
    };
  });
}

}  // namespace terminally
