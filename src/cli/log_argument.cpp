// Finds the log that a command line names by a tab or a path.
#include "cli/log_argument.hpp"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <optional>

#include "base/error.hpp"
#include "cli/guest.hpp"
#include "cli/tab_argument.hpp"
#include "cli/value_types.hpp"
#include "instance/tab_ids.hpp"

namespace terminally {

CLI::Option* add_log_argument(CLI::App& command, std::string& which, const std::string& description) {
  return command.add_option("tab", which, description)->type_name(kLogType);
}

PaneLog log_of(const Config& config, WindowId tab) {
  const Instance instance = instance_to_read(config);
  const auto generation = generation_of(instance, tab);
  if (!generation) {
    throw Error(ErrorCode::not_found, "there is no tab " + to_string(tab) + " in instance \"" +
                                          instance.name() + "\": no pane-" + to_string(tab) + ".log below " +
                                          instance.state().string() + "; `terminally-mcp ls` lists the tabs");
  }
  return PaneLog(log_path(instance.generation(*generation), to_string(tab)));
}

PaneLog log_named(const Config& config, const std::string& which) {
  if (const auto tab = parse_window_id(which)) {
    return log_of(config, *tab);
  }
  std::error_code error;
  if (std::filesystem::is_regular_file(which, error)) {
    return PaneLog(which);
  }
  std::optional<WindowId> named;
  try {
    named = tab_of(config, which);
  } catch (const Error& none) {
    if (none.code() != ErrorCode::not_found) {
      throw;
    }
  }
  if (!named) {
    throw Error(ErrorCode::not_found, "\"" + which +
                                          "\" is neither a tab (@0, @1 and so on, or a name; "
                                          "`terminally-mcp ls`) nor a log file");
  }
  return log_of(config, *named);
}

}  // namespace terminally
