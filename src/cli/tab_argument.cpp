// Reads the argument of the command line that names a tab by id or by name.
#include "cli/tab_argument.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <vector>

#include "cli/guest.hpp"
#include "cli/value_types.hpp"
#include "toolkit/far_names.hpp"

namespace terminally {

Error no_such_tab(const std::string& which) {
  const auto far = split_far_name(which);
  return Error(
      ErrorCode::not_found,
      "\"" + which + "\" is no tab: neither an id such as @0 nor the name of an open tab" +
          (far ? ", and \"" + far->host + "\" is an unknown host (`terminally-mcp hosts list`)" : "") +
          "; `terminally-mcp ls` lists them");
}

CLI::Option* add_tab_argument(CLI::App& command, std::string& tab, const std::string& description) {
  return command.add_option("tab", tab, description)->type_name(kTabType);
}

CLI::Option* add_tab_id_argument(CLI::App& command, std::optional<WindowId>& tab,
                                 const std::string& description) {
  const auto take = [&tab](const std::string& text) { tab = parse_window_id(text); };
  const auto complain = [](const std::string& text) {
    return parse_window_id(text) ? std::string() : std::string(no_such_tab(text).what());
  };
  return command.add_option_function<std::string>("tab", take, description)
      ->check(CLI::Validator(complain, ""))
      ->type_name(kTabType);
}

WindowId tab_of(const Config& config, const std::string& which) {
  if (const auto id = parse_window_id(which)) {
    return *id;
  }
  std::vector<WindowId> found;
  for (const TabInfo& tab : tabs_of(guest_config(config))) {
    if (tab.name == which) {
      found.push_back(tab.window_id);
    }
  }
  if (found.empty()) {
    throw no_such_tab(which);
  }
  if (found.size() > 1) {
    throw Error(ErrorCode::invalid_argument, several_tabs_named(which, found[0], found[1]));
  }
  return found.front();
}

bool is_name_of_tab(const Config& guest, const std::string& which) {
  const std::vector<TabInfo> tabs = tabs_of(guest);
  return std::ranges::any_of(tabs, [&which](const TabInfo& tab) { return tab.name == which; });
}

std::optional<WindowId> tab_if_given(const Config& config, const std::string& which) {
  return which.empty() ? std::nullopt : std::optional(tab_of(config, which));
}

}  // namespace terminally
