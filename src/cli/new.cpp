// terminally-mcp new: opens a tab beside those of the agent, or the first one, with which an instance begins.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>

#include "base/error.hpp"
#include "cli/arguments.hpp"
#include "cli/subcommands.hpp"
#include "hosts/hosts_file.hpp"
#include "system/work_directory.hpp"
#include "terminal/guest.hpp"
#include "terminal/print.hpp"
#include "toolkit/far_names.hpp"

namespace terminally {
namespace {

void refuse_id_as_name(const std::string& name) {
  if (parse_window_id(name)) {
    throw Error(ErrorCode::invalid_argument,
                "name: \"" + name + "\" is how the id of a tab is written: choose another name");
  }
}

/// A later command with the name would go to the host.
void refuse_name_of_host(const Config& config, const std::string& name) {
  const auto far = split_far_name(name);
  if (far && std::ranges::count(read_hosts(config.hosts_file), far->host, &HostEntry::name) > 0) {
    throw Error(ErrorCode::invalid_argument, "name: \"" + name + "\" would mean a tab of the host \"" +
                                                 far->host + "\": choose another name");
  }
}

/// The tab that has the name already, of those that came before `ours`; null: none.
const TabInfo* tab_named(const std::vector<TabInfo>& tabs, const std::string& name,
                         std::optional<WindowId> ours = std::nullopt) {
  const auto taken = std::ranges::find_if(tabs, [&](const TabInfo& tab) {
    return !name.empty() && tab.name == name && (!ours || tab.window_id < *ours);
  });
  return taken == tabs.end() ? nullptr : &*taken;
}

/// A second tab of a name could be reached by its id only, and so could the first from then on.
Error taken_by(const TabInfo& tab, const std::string& instance) {
  const std::string id = to_string(tab.window_id);
  return Error(ErrorCode::invalid_argument, "tab " + id + " of instance \"" + instance + "\" is named \"" +
                                                tab.name + "\" already: choose another name, or " +
                                                "terminally-mcp attach " + id);
}

Awaitable<CreatedTab> opened(TmuxManager& manager, CreateTab request) {
  const std::string name = request.name;
  refuse_id_as_name(name);
  const std::vector<TabInfo> before = co_await manager.tabs().list();
  if (const TabInfo* other = tab_named(before, name)) {
    throw taken_by(*other, manager.instance_name());
  }
  CreatedTab tab = co_await manager.tabs().create(std::move(request));
  const std::vector<TabInfo> now = co_await manager.tabs().list();
  if (const TabInfo* other = tab_named(now, name, tab.window_id)) {  // it came at the same moment
    static_cast<void>(co_await manager.tabs().close(tab.window_id, true));
    throw taken_by(*other, manager.instance_name());
  }
  co_return tab;
}

/// Paths are those of the person who types, and so is the place where nothing is said.
int open_new(const Config& given, CreateTab request) {
  const Config config = config_to_open_in(given);
  refuse_name_of_host(config, request.name);
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
  CLI::App* command = app.add_subcommand(
      "new", "Opens a tab, and prints its id; begins an instance where nothing of the project runs");
  command->add_option("name", request->name, "Its name; none: that of its shell")->type_name("NAME");
  command->add_option("--cwd", request->cwd, "Where it begins; none: here")->type_name(kDirectoryType);
  command->add_option("--shell", request->shell, "Its shell; none: $SHELL")->type_name(kProgramType);
  command->add_flag("--login", request->login, "Start the shell as a login shell");
  command->footer(
      "Where nothing of the project runs, its instance begins, or that of --instance. An agent with --agent\n"
      "that is started in the project later shares its tabs.\n"
      "Examples:\n"
      "  terminally-mcp new build\n"
      "  terminally-mcp --instance work new --cwd ~/src --shell zsh\n"
      "  tab=$(terminally-mcp new) && terminally-mcp exec \"$tab\" -- make");
  command->callback(
      [&config, &action, request] { action = [&config, request] { return open_new(config, *request); }; });
}

}  // namespace terminally
