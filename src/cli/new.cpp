// terminally-mcp new: opens a tab beside those of the agent, or the first one, with which an instance begins.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <filesystem>
#include <memory>

#include "base/error.hpp"
#include "cli/arguments.hpp"
#include "cli/subcommands.hpp"
#include "system/work_directory.hpp"
#include "terminal/guest.hpp"
#include "terminal/print.hpp"

namespace terminally {
namespace {

/// A second tab of a name could be reached by its id only, and so could the first from then on.
void refuse_taken_name(const std::vector<TabInfo>& tabs, const std::string& name,
                       const std::string& instance) {
  if (parse_window_id(name)) {
    throw Error(ErrorCode::invalid_argument,
                "name: \"" + name + "\" is how the id of a tab is written: choose another name");
  }
  const auto taken = std::ranges::find(tabs, name, &TabInfo::name);
  if (!name.empty() && taken != tabs.end()) {
    const std::string id = to_string(taken->window_id);
    throw Error(ErrorCode::invalid_argument, "tab " + id + " of instance \"" + instance + "\" is named \"" +
                                                 name + "\" already: choose another name, or " +
                                                 "terminally-mcp attach " + id);
  }
}

Awaitable<CreatedTab> opened(TmuxManager& manager, CreateTab request) {
  const std::vector<TabInfo> tabs = co_await manager.tabs().list();
  refuse_taken_name(tabs, request.name, manager.instance_name());
  const std::string name = request.name;
  std::exception_ptr taken;
  CreatedTab tab = co_await manager.tabs().create(std::move(request));
  if (name.empty()) {
    co_return tab;
  }
  std::vector<TabInfo> before = co_await manager.tabs().list();
  std::erase_if(before, [&tab](const TabInfo& other) { return other.window_id >= tab.window_id; });
  try {
    refuse_taken_name(before, name, manager.instance_name());  // by who came at the same moment
  } catch (const Error&) {
    taken = std::current_exception();
  }
  if (taken) {
    static_cast<void>(co_await manager.tabs().close(tab.window_id, true));
    std::rethrow_exception(taken);
  }
  co_return tab;
}

/// Paths are those of the person who types, and so is the place where nothing is said.
int open_new(const Config& given, CreateTab request) {
  const Config config = config_to_open_in(given);
  std::error_code error;
  request.cwd = tidy_path(std::filesystem::absolute(request.cwd, error));
  if (error) {
    throw Error(ErrorCode::not_found,
                "the current directory is unknown (" + error.message() + "): go elsewhere, or give --cwd");
  }
  const CreatedTab tab = ask_as_guest<CreatedTab>(
      config, [&](TmuxManager& manager) { return opened(manager, std::move(request)); });
  print(to_string(tab.window_id) + "\n");
  if (!config.guest) {
    const std::string choice = given.instance.empty() ? "" : "--instance " + config.instance + " ";
    complain("instance \"" + config.instance + "\" begins with this tab, which stays until it is closed. " +
             "To sit down at it: terminally-mcp " + choice + "attach " + to_string(tab.window_id));
  }
  return 0;
}

}  // namespace

void add_new(CLI::App& app, Config& config, Action& action) {
  const auto request = std::make_shared<CreateTab>();
  request->cwd = ".";
  CLI::App* command =
      app.add_subcommand("new", "Opens a tab, and prints its id; begins an instance where none runs");
  command->add_option("name", request->name, "Its name; none: that of its shell")->type_name("NAME");
  command->add_option("--cwd", request->cwd, "Where it begins; none: here")->type_name(kDirectoryType);
  command->add_option("--shell", request->shell, "Its shell; none: $SHELL")->type_name(kProgramType);
  command->add_flag("--login", request->login, "Start the shell as a login shell");
  command->footer(
      "Where no instance runs, the project's begins, or that of --instance. An agent with --agent that is\n"
      "started in the project later shares its tabs.\n"
      "Examples:\n"
      "  terminally-mcp new build\n"
      "  terminally-mcp --instance work new --cwd ~/src --shell zsh\n"
      "  tab=$(terminally-mcp new) && terminally-mcp exec \"$tab\" -- make");
  command->callback(
      [&config, &action, request] { action = [&config, request] { return open_new(config, *request); }; });
}

}  // namespace terminally
