// terminally-mcp history: the commands that ran in the tabs of an instance, from their records on disk.

#include "instance/history.hpp"

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "cli/arguments.hpp"
#include "cli/subcommands.hpp"
#include "terminal/guest.hpp"
#include "terminal/print.hpp"
#include "toolkit/answers.hpp"

namespace terminally {
namespace {

struct HistoryOptions {
  std::string tab;
  std::size_t most = 20;
  bool json = false;
};

/// The part of a command line that fits a row.
constexpr std::size_t kShownBytes = 100;

std::string local_time(std::int64_t ms) {
  const std::time_t seconds = ms / 1'000;
  std::tm local{};
  ::localtime_r(&seconds, &local);
  char text[32];
  std::strftime(text, sizeof text, "%F %T", &local);
  return text;
}

std::string duration(std::uint64_t ms) {
  const std::uint64_t seconds = ms / 1'000;
  char text[48];
  if (seconds < 60) {
    std::snprintf(text, sizeof text, "%u.%03us", static_cast<unsigned>(seconds),
                  static_cast<unsigned>(ms % 1'000));
  } else {
    std::snprintf(text, sizeof text, "%llu:%02u:%02u", static_cast<unsigned long long>(seconds / 3'600),
                  static_cast<unsigned>(seconds / 60 % 60), static_cast<unsigned>(seconds % 60));
  }
  return text;
}

std::string as_table(const std::vector<PastCommand>& commands) {
  std::vector<TableRow> rows = {{"STARTED", "DURATION", "EXIT", "STATE", "TAB", "BY", "COMMAND"}};
  for (const auto& [window, record] : commands) {
    const std::string why = record.reason == Reason::none ? "" : " " + std::string(to_string(record.reason));
    rows.push_back({local_time(record.started_at_ms), duration(record.duration_ms),
                    record.exit_code ? std::to_string(*record.exit_code) : "-",
                    std::string(to_string(record.state)) + why, as_said(to_string(window)),
                    record.who.empty() ? "-" : on_one_line(record.who),
                    first_line_of(record.command, kShownBytes)});
  }
  return table(rows);
}

std::string as_json(const std::vector<PastCommand>& commands) {
  using nlohmann::ordered_json;
  ordered_json array = ordered_json::array();
  for (const auto& [window, record] : commands) {
    ordered_json row;
    row["command_id"] = record.id;
    row["window_id"] = as_said(to_string(window));
    row["command"] = record.command;
    row["who"] = record.who;
    row["state"] = to_string(record.state);
    row["reason"] = record.reason == Reason::none ? ordered_json(nullptr) : to_string(record.reason);
    row["exit_code"] = record.exit_code ? ordered_json(*record.exit_code) : ordered_json(nullptr);
    row["started_at"] = iso_time(record.started_at_ms);
    row["duration_ms"] = record.duration_ms;
    row["start_byte"] = record.start_byte;
    row["end_byte"] = record.end_byte;
    row["cwd"] = record.cwd;
    array.push_back(std::move(row));
  }
  return array.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

/// Asks a running instance for its tabs first, which also records the end of commands that ended unseen.
std::vector<PastCommand> commands_of(const Config& config, std::optional<WindowId> tab, std::size_t most) {
  const Instance instance = instance_to_read(config, tab);
  std::vector<WindowId> open;
  if (instance.server_lives()) {
    for (const TabInfo& row : tabs_of(guest_of(config, instance.name()))) {
      open.push_back(row.window_id);
    }
  }
  return read_history(instance, tab, most, open);
}

int history(const Config& config, const HistoryOptions& options) {
  const auto tab = tab_if_given(config, options.tab);
  const std::vector<PastCommand> commands = commands_of(config, tab, options.most);
  if (commands.empty() && tab) {
    (void)log_of(config, *tab);  // throws when there never was such a tab
  }
  print(options.json ? as_json(commands) : as_table(commands));
  return 0;
}

}  // namespace

void add_history(CLI::App& app, Config& config, Action& action) {
  const auto options = std::make_shared<HistoryOptions>();
  CLI::App* command = app.add_subcommand(
      "history", "The commands that ran in the tabs: when, how long, how they ended, who started them");
  add_tab_argument(*command, options->tab, "The tab, open or closed; none: all of them");
  command->add_option("-n,--number", options->most, "How many, the newest")
      ->check(whole_number(1, CommandRecords::kKeptCommands))
      ->capture_default_str();
  command->add_flag("--json", options->json, "As a JSON array, whole commands and byte offsets included");
  command->footer(
      "Reads records from disk: needs no server; with a tab or --instance NAME, no running instance either.\n"
      "Examples:\n"
      "  terminally-mcp history\n"
      "  terminally-mcp history @3 -n 100\n"
      "  terminally-mcp history build1:@3 -n 100   on a host; build1: is all of its tabs\n"
      "  terminally-mcp --instance work history --json | jq -r '.[] | select(.exit_code != 0) | .command'");
  command->callback(
      [&config, &action, options] { action = [&config, options] { return history(config, *options); }; });
}

}  // namespace terminally
