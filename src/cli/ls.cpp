// terminally-mcp ls: the tabs of an instance.

#include <CLI/CLI.hpp>
#include <boost/asio.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/spawned.hpp"
#include "cli/subcommands.hpp"
#include "hosts/hosts.hpp"
#include "hosts/people.hpp"
#include "terminal/guest.hpp"
#include "terminal/instance_use.hpp"
#include "terminal/print.hpp"
#include "toolkit/answers.hpp"
#include "toolkit/results_json.hpp"
#include "tools/list_tabs.hpp"

namespace terminally {
namespace {

struct LsOptions {
  bool json = false;
  bool quiet = false;
};

using nlohmann::ordered_json;

constexpr Milliseconds kHostsAnswerWithin{5'000};

std::string text_of(const ordered_json& row, const char* name) {
  const auto found = row.find(name);
  return found == row.end() ? "" : found->is_string() ? found->get<std::string>() : found->dump();
}

void print_json(const ordered_json& rows) {
  print(rows.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n");
}

/// How the last command stands, behind its text; empty: it runs.
std::string how_it_stands(const ordered_json& row) {
  const std::string state = text_of(row, "state");
  if (row.contains("awaiting_input")) {
    return " (waits for the keyboard)";
  }
  if (state == to_string(CommandState::running)) {
    return "";
  }
  const std::string code = text_of(row, "exit_code");
  const bool known = row.contains("exit_code") && !row["exit_code"].is_null();
  const std::string how = state == to_string(CommandState::completed) && known ? "" : state;
  return " (" + how + (known ? (how.empty() ? "exit " : ", exit ") + code : "") + ")";
}

/// The command that runs, else a program that a person started, else the last command and how it ended.
std::string what_runs(const ordered_json& row, bool busy) {
  constexpr std::size_t kMostBytes = 60;
  const bool is_over = text_of(row, "state") != to_string(CommandState::running);
  if (!row.contains("command") || (busy && is_over)) {
    return on_one_line(text_of(row, "foreground"));
  }
  return first_line_of(text_of(row, "command"), kMostBytes) + how_it_stands(row);
}

std::string as_table(const ordered_json& rows) {
  std::vector<TableRow> table_rows = {{"TAB", "NAME", "STATE", "COMMAND", "BYTES", "DIRECTORY", "LOG"}};
  for (const ordered_json& row : rows) {
    const bool busy = row.value("busy", ordered_json(false)) == true;
    table_rows.push_back({on_one_line(text_of(row, "window_id")), on_one_line(text_of(row, "name")),
                          busy ? "busy" : "free", what_runs(row, busy),
                          on_one_line(text_of(row, "log_bytes")), on_one_line(text_of(row, "cwd")),
                          on_one_line(text_of(row, "log_path"))});
  }
  return table(table_rows);
}

ordered_json rows_here(const Config& config, const std::string& instance) {
  ordered_json array = ordered_json::array();
  if (!Instance(config, instance).server_lives()) {  // all tabs of the instance are on hosts
    return array;
  }
  ListedTabs listed{.tabs = tabs_of(guest_of(config, instance)), .notes = {}};
  shorten(listed, nullptr);
  for (const TabInfo& tab : listed.tabs) {
    ResultWriter row;
    describe(row, tab);
    array.push_back(std::move(row.result()));
  }
  return array;
}

/// The tabs of the instances that a server of `instance` uses on the hosts.
FarListing rows_there(const Config& config, const std::string& instance) {
  std::vector<FarPlace> places;
  for (const HostEntry& host : read_hosts(config.hosts_file)) {
    places.push_back({host, far_start(host, config, instance).instance});
  }
  boost::asio::io_context io(1);
  const Spawned<FarListing> listing(io.get_executor(), list_there(std::move(places), kHostsAnswerWithin));
  io.run();
  return listing.result();
}

/// The tabs of one instance, here and on hosts.
ordered_json all_rows(const Config& config, const std::string& instance) {
  ordered_json rows = rows_here(config, instance);
  FarListing there = rows_there(config, instance);
  for (ordered_json& row : there.rows) {
    rows.push_back(std::move(row));
  }
  for (const std::string& problem : there.problems) {
    complain(problem);
  }
  return rows;
}

/// One is no reason to leave out the others.
ordered_json rows_or_complaint(const Config& config, const std::string& instance) {
  try {
    return all_rows(config, instance);
  } catch (const Error& error) {
    complain(instance + ": " + error.what());
    return ordered_json::array();
  }
}

int ls_of_several(const Config& config, const std::vector<std::string>& instances, bool json) {
  ordered_json rows = ordered_json::array();
  bool begins = true;
  for (const std::string& name : instances) {
    const ordered_json tabs = rows_or_complaint(config, name);
    if (!json) {
      print((begins ? "" : "\n") + in_words(Instance(config, name)) + "\n" + as_table(tabs));
    }
    begins = false;
    for (ordered_json row : tabs) {
      row["instance"] = name;
      rows.push_back(std::move(row));
    }
  }
  if (json) {
    print_json(rows);
  }
  return 0;
}

int ls(const Config& config, const LsOptions& options) {
  const std::vector<std::string> used = used_instances(config);
  if (config.instance.empty() && used.size() > 1 && !options.quiet) {
    return ls_of_several(config, used, options.json);
  }
  const std::string instance = instance_on_hosts(config);
  const ordered_json rows = all_rows(config, instance);
  if (rows.empty() && !is_used(config, instance)) {
    static_cast<void>(running_instance(config));  // throws with the instances that do run
  }
  if (options.json) {
    print_json(rows);
  } else if (options.quiet) {
    for (const ordered_json& row : rows) {
      print(text_of(row, "window_id") + "\n");
    }
  } else {
    print(in_words(Instance(config, instance)) + "\n" + as_table(rows));
  }
  return 0;
}

}  // namespace

void add_ls(CLI::App& app, Config& config, Action& action) {
  const auto options = std::make_shared<LsOptions>();
  CLI::App* command = app.add_subcommand(
      "ls", "The tabs of all instances: what runs in them, where, for whom, and where their logs are");
  const auto json = command->add_flag(
      "--json", options->json,
      "As a JSON array, with the fields of the tool list_tabs, and the instance where there are several");
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
