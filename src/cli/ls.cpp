// terminally-mcp ls: the tabs of an instance.

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/guest.hpp"
#include "cli/print.hpp"
#include "cli/subcommands.hpp"
#include "cli/table.hpp"
#include "toolkit/command_answer.hpp"
#include "toolkit/results_json.hpp"

namespace terminally {
namespace {

struct LsOptions {
  bool json = false;
  bool quiet = false;
};

std::string as_table(const std::vector<TabInfo>& tabs) {
  std::vector<TableRow> rows = {{"TAB", "NAME", "STATE", "FOREGROUND", "BYTES", "DIRECTORY", "LOG"}};
  for (const TabInfo& tab : tabs) {
    rows.push_back({to_string(tab.window_id), on_one_line(tab.name), tab.busy ? "busy" : "free",
                    on_one_line(tab.foreground), std::to_string(tab.log_bytes), on_one_line(tab.cwd),
                    on_one_line(tab.log_path)});
  }
  return table(rows);
}

std::string as_json(const std::vector<TabInfo>& tabs) {
  nlohmann::ordered_json array = nlohmann::ordered_json::array();
  for (const TabInfo& tab : tabs) {
    ResultWriter row;
    describe(row, tab);
    array.push_back(std::move(row.result()));
  }
  return array.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

int ls(const Config& config, const LsOptions& options) {
  const std::vector<TabInfo> tabs = tabs_of(guest_config(config));
  if (options.json) {
    print(as_json(tabs));
  } else if (options.quiet) {
    for (const TabInfo& tab : tabs) {
      print(to_string(tab.window_id) + "\n");
    }
  } else {
    print(as_table(tabs));
  }
  return 0;
}

}  // namespace

void add_ls(CLI::App& app, Config& config, Action& action) {
  const auto options = std::make_shared<LsOptions>();
  CLI::App* command = app.add_subcommand(
      "ls", "The tabs of the running instance: what runs in them, where, and where their logs are");
  const auto json =
      command->add_flag("--json", options->json, "As a JSON array, with the fields of the tool list_tabs");
  command->add_flag("-q,--quiet", options->quiet, "The ids only")->excludes(json);
  command->footer(
      "Examples:\n"
      "  terminally-mcp ls\n"
      "  terminally-mcp ls --json | jq -r '.[] | select(.busy) | .window_id'\n"
      "  terminally-mcp --instance work ls");
  command->callback(
      [&config, &action, options] { action = [&config, options] { return ls(config, *options); }; });
}

}  // namespace terminally
