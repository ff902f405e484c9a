#include "cli/tab_argument.hpp"

#include <CLI/CLI.hpp>

namespace terminally {

WindowId tab_from(const std::string& text) {
  const auto tab = parse_window_id(text);
  if (!tab) {
    throw CLI::ValidationError(
        "\"" + text + "\" is no tab; tabs are called @0, @1 and so on, and `terminally-mcp ls` lists them");
  }
  return *tab;
}

CLI::Option* add_tab_argument(CLI::App& command, std::optional<WindowId>& tab,
                              const std::string& description) {
  return command
      .add_option_function<std::string>(
          "tab", [&tab](const std::string& text) { tab = tab_from(text); }, description)
      ->type_name(kTabType);
}

}  // namespace terminally
