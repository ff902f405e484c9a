// terminally-mcp attach: shows the tabs on a person's terminal, by tmux attach.

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <memory>

#include "base/error.hpp"
#include "base/process.hpp"
#include "cli/arguments.hpp"
#include "cli/subcommands.hpp"
#include "instance/instance.hpp"
#include "terminal/guest.hpp"
#include "tmux/server/server_config.hpp"

namespace terminally {
namespace {

/// With `own_view`: a session of its own over the same windows, so that nobody else's view changes. A hook
/// ends the session when its client leaves. `destroy-unattached` would not do: where another client ends at
/// that moment, tmux 3.3a removes the session while its client is still leaving, and crashes.
Argv attach_argv(const Config& config, const TabInfo& tab, bool own_view) {
  const Instance instance(config, config.instance);
  Argv argv = {config.tmux, "-u", "-S", instance.socket().string()};
  const auto add = [&argv](std::initializer_list<std::string> words) { argv.insert(argv.end(), words); };
  if (!own_view) {
    add({"attach-session", "-t", tab.tmux_session});
    return argv;
  }
  const std::string session = "watch-" + std::to_string(::getpid());
  const std::string target = "=" + session + ":";
  add({"new-session", "-t", tab.tmux_session, "-s", session, ";"});
  add({"set-hook", "-t", target, "client-detached", "kill-session -t '=" + session + "'", ";"});
  add({"select-window", "-t", target + tab.tmux_window});
  return argv;
}

int attach(const Config& given, const std::string& which) {
  const Config config = guest_config(given);
  const auto tab = tab_if_given(config, which);
  const std::vector<TabInfo> tabs = tabs_of(config);
  if (tabs.empty()) {
    throw Error(ErrorCode::not_found, "instance \"" + config.instance + "\" has no tab to attach to");
  }
  const auto found = std::ranges::find_if(
      tabs, [&](const TabInfo& info) { return tab ? info.window_id == *tab : info.active; });
  if (tab && found == tabs.end()) {
    throw Error(ErrorCode::not_found, "there is no open tab " + to_string(*tab) +
                                          "; `terminally-mcp ls` lists them, `terminally-mcp tail " +
                                          to_string(*tab) + "` shows what a closed one printed");
  }
  if (::isatty(STDIN_FILENO) == 0) {
    throw Error(ErrorCode::invalid_argument,
                "attach needs a terminal as its standard input; `terminally-mcp tail` prints without one");
  }
  const Argv argv = attach_argv(config, found != tabs.end() ? *found : tabs.front(), tab.has_value());
  ::unsetenv("TMUX");  // a person may run this inside a tmux of their own
  become(argv);
}

}  // namespace

void add_attach(CLI::App& app, Config& config, Action& action) {
  const auto tab = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("attach",
                                         "Your terminal on the tabs, with tmux; C-b d leaves (in a tmux of "
                                         "yours C-b C-b d), C-b n is the next tab");
  add_tab_argument(*command, *tab,
                   "The tab to begin with; your view is then your own, other watchers stay where they are");
  command->footer(
      "Examples:\n"
      "  terminally-mcp attach\n"
      "  terminally-mcp attach @3\n"
      "  terminally-mcp attach build\n"
      "  terminally-mcp --instance work attach @3");
  command->callback([&config, &action, tab] { action = [&config, tab] { return attach(config, *tab); }; });
}

}  // namespace terminally
