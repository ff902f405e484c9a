#include "cli/tab_argument.hpp"

#include <CLI/CLI.hpp>

#include "cli/value_types.hpp"

namespace terminally {
namespace {

std::string complaint_about(const std::string& text) {
  return parse_window_id(text)
             ? std::string()
             : "\"" + text + "\" is no tab; tabs are called @0, @1 and so on, `terminally-mcp ls` lists them";
}

}  // namespace

CLI::Option* add_tab_argument(CLI::App& command, std::optional<WindowId>& tab,
                              const std::string& description) {
  const auto take = [&tab](const std::string& text) { tab = parse_window_id(text); };
  return command.add_option_function<std::string>("tab", take, description)
      ->check(CLI::Validator(complaint_about, ""))
      ->type_name(kTabType);
}

}  // namespace terminally
