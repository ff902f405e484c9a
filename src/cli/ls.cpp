// terminally-mcp ls: the tabs of an instance.

#include <CLI/CLI.hpp>
#include <boost/asio.hpp>
#include <map>
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

constexpr Milliseconds kHostsAnswerWithin{3'000};

std::string text_of(const ordered_json& row, const char* name) {
  const auto found = row.find(name);
  return found == row.end() ? "" : found->is_string() ? found->get<std::string>() : found->dump();
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

/// One is no reason to leave out the others.
ordered_json rows_or_complaint(const Config& config, const std::string& instance) {
  try {
    return rows_here(config, instance);
  } catch (const Error& error) {
    complain(instance + ": " + error.what());
    return ordered_json::array();
  }
}

/// The tabs that a server of each of these instances has on the hosts, which are asked side by side.
std::vector<FarListing> rows_there(const Config& config, const std::vector<std::string>& instances) {
  const std::vector<HostEntry> hosts = read_hosts(config.hosts_file);
  boost::asio::io_context io(1);
  std::vector<Spawned<FarListing>> asked;
  asked.reserve(instances.size());
  for (const std::string& name : instances) {
    std::vector<FarPlace> places;
    places.reserve(hosts.size());
    for (const HostEntry& host : hosts) {
      places.push_back({host, far_start(host, config, name).instance});
    }
    asked.emplace_back(io.get_executor(), list_there(std::move(places), kHostsAnswerWithin));
  }
  io.run();
  std::vector<FarListing> listings;
  listings.reserve(asked.size());
  for (const Spawned<FarListing>& one : asked) {
    listings.push_back(one.result());
  }
  return listings;
}

/// Shows the tabs of one instance after the other: at once, or as one array of JSON in the end.
class TabLists {
 public:
  TabLists(const LsOptions& options, bool names_instances)
      : options_(options), names_instances_(names_instances) {}

  void add(const std::string& instance, const std::string& heading, const ordered_json& rows) {
    if (options_.quiet) {
      for (const ordered_json& row : rows) {
        print(text_of(row, "window_id") + "\n");
      }
    } else if (!options_.json) {
      print((begins_ ? "" : "\n") + heading + "\n" + as_table(rows));
    }
    begins_ = false;
    for (ordered_json row : rows) {
      if (names_instances_) {
        row["instance"] = instance;
      }
      all_.push_back(std::move(row));
    }
  }

  void end() const {
    if (options_.json) {
      print(all_.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n");
    }
  }

  [[nodiscard]] bool is_empty() const { return begins_; }

 private:
  const LsOptions& options_;
  bool names_instances_;
  bool begins_ = true;
  ordered_json all_ = ordered_json::array();
};

/// What is here comes first: a host may keep us waiting.
int ls(const Config& config, const LsOptions& options) {
  const std::vector<std::string> used = used_instances(config);
  const bool several = config.instance.empty() && used.size() > 1 && !options.quiet;
  const std::vector<std::string> instances = several ? used : std::vector{instance_on_hosts(config)};
  TabLists lists(options, several);
  for (const std::string& name : instances) {
    if (is_used(config, name)) {
      lists.add(name, in_words(Instance(config, name)),
                several ? rows_or_complaint(config, name) : rows_here(config, name));
    }
  }
  const std::vector<FarListing> there = rows_there(config, instances);
  std::map<std::string, std::string> problems;
  for (std::size_t i = 0; i < there.size(); ++i) {
    if (!there[i].rows.empty()) {
      lists.add(instances[i], instances[i] + ", on hosts:", there[i].rows);
    }
    problems.insert(there[i].problems.begin(), there[i].problems.end());
  }
  for (const auto& [host, problem] : problems) {
    complain(host + ": " + problem);
  }
  if (lists.is_empty()) {
    static_cast<void>(running_instance(config));  // throws with the instances that do run
  }
  lists.end();
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
