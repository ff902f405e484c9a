// terminally-mcp instances: lists this user's instances, and cleans up dead ones.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <boost/asio.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/spawned.hpp"
#include "cli/subcommands.hpp"
#include "record/records.hpp"
#include "terminal/guest.hpp"
#include "terminal/print.hpp"
#include "tmux/server/instance_end.hpp"

namespace terminally {
namespace {

namespace asio = boost::asio;

/// A frozen tmux must not hold up the list.
constexpr std::uint64_t kTmuxPatienceMs = 1'000;

struct InstanceInfo {
  std::string name;
  bool durable = true;
  int owner_pid = 0;  ///< 0: none
  int tmux_pid = 0;   ///< 0: none
  std::optional<std::size_t> tabs;
  std::optional<std::size_t> running;  ///< both are nullopt when tmux does not answer
  std::uint64_t log_bytes = 0;
};

std::uint64_t bytes_in(const std::filesystem::path& directory) {
  std::uint64_t bytes = 0;
  std::error_code error;
  for (std::filesystem::recursive_directory_iterator entry(directory, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code gone;
    const auto size = entry->is_regular_file(gone) ? entry->file_size(gone) : 0;
    bytes += gone ? 0 : size;
  }
  return bytes;
}

bool runs_a_command(const TabInfo& tab) {
  std::filesystem::path records = tab.log_path;
  const auto latest = CommandRecords(records.replace_extension(".commands")).latest();
  return latest && latest->state == CommandState::running;
}

InstanceInfo look_at(const Config& config, const std::string& name) {
  const Instance instance(config, name);
  InstanceInfo info;
  info.name = name;
  info.durable = !instance.is_unnamed();
  info.owner_pid = instance.owner_pid();
  info.tmux_pid = instance.server_pid();
  info.log_bytes = bytes_in(instance.state());
  if (info.tmux_pid == 0 && !instance.server_listens()) {
    info.tabs = info.running = 0;
    return info;
  }
  Config guest = guest_of(config, name);
  guest.tmux_deadline_ms = kTmuxPatienceMs;
  try {
    const std::vector<TabInfo> tabs = tabs_of(guest);
    info.tabs = tabs.size();
    info.running = static_cast<std::size_t>(std::count_if(tabs.begin(), tabs.end(), runs_a_command));
  } catch (const Error& error) {
    complain(name + ": " + error.what());
  }
  return info;
}

std::string number_or(std::optional<std::uint64_t> number, const char* otherwise) {
  return number ? std::to_string(*number) : otherwise;
}

std::string as_table(const std::vector<InstanceInfo>& instances) {
  std::vector<TableRow> rows = {{"NAME", "KIND", "OWNER", "TMUX", "TABS", "RUNNING", "LOG BYTES"}};
  for (const InstanceInfo& info : instances) {
    rows.push_back({info.name, info.durable ? "durable" : "unnamed",
                    info.owner_pid != 0 ? std::to_string(info.owner_pid) : "-",
                    info.tmux_pid != 0 ? std::to_string(info.tmux_pid) : "-", number_or(info.tabs, "?"),
                    number_or(info.running, "?"), std::to_string(info.log_bytes)});
  }
  return table(rows);
}

std::string as_json(const std::vector<InstanceInfo>& instances) {
  using nlohmann::ordered_json;
  const auto or_null = [](auto number, bool known) {
    return known ? ordered_json(number) : ordered_json(nullptr);
  };
  ordered_json array = ordered_json::array();
  for (const InstanceInfo& info : instances) {
    ordered_json row;
    row["name"] = info.name;
    row["durable"] = info.durable;
    row["owner_pid"] = or_null(info.owner_pid, info.owner_pid != 0);
    row["tmux_pid"] = or_null(info.tmux_pid, info.tmux_pid != 0);
    row["tabs"] = or_null(info.tabs.value_or(0), info.tabs.has_value());
    row["running_commands"] = or_null(info.running.value_or(0), info.running.has_value());
    row["log_bytes"] = info.log_bytes;
    array.push_back(std::move(row));
  }
  return array.dump(2) + "\n";
}

struct InstancesOptions {
  bool json = false;
  bool quiet = false;
};

int list(const Config& config, const InstancesOptions& options) {
  if (options.quiet) {
    for (const std::string& name : known_instances(config)) {
      print(name + "\n");
    }
    return 0;
  }
  std::vector<InstanceInfo> instances;
  for (const std::string& name : known_instances(config)) {
    instances.push_back(look_at(config, name));
  }
  print(options.json ? as_json(instances) : as_table(instances));
  return 0;
}

Cleaned clean(const Config& config, const std::string& name) {
  asio::io_context io(1);
  const Spawned<Cleaned> cleaned(io.get_executor(), clean_instance(config, name));
  io.run();
  return cleaned.result();
}

int clean_all(const Config& config) {
  for (const std::string& name : known_instances(config)) {
    const int owner = Instance(config, name).owner_pid();
    switch (clean(config, name)) {
      case Cleaned::nothing_there:
        break;
      case Cleaned::owned:
        print(name + ": kept, its server runs" + (owner != 0 ? ", pid " + std::to_string(owner) : "") + "\n");
        break;
      case Cleaned::runs:
        print(name + ": kept, a durable instance whose tabs live\n");
        break;
      case Cleaned::ended:
        print(name + ": its server was killed; ended its tabs and removed its runtime directory\n");
        break;
      case Cleaned::removed:
        print(name + ": no tabs any more; removed its runtime directory, its logs stay\n");
        break;
    }
  }
  return 0;
}

}  // namespace

void add_instances(CLI::App& app, Config& config, Action& action) {
  const auto options = std::make_shared<InstancesOptions>();
  CLI::App* command = app.add_subcommand(
      "instances", "The instances of this user: who owns them, their tabs, their commands, their logs");
  const auto json = command->add_flag("--json", options->json, "As a JSON array");
  command->add_flag("-q,--quiet", options->quiet, "The names only")->excludes(json);
  command->require_subcommand(0, 1);
  command->fallthrough();
  command->footer(
      "Examples:\n"
      "  terminally-mcp instances\n"
      "  terminally-mcp instances clean     removes dead instances, never one whose server or tabs live");
  command->callback([&config, &action, options, command] {
    if (command->get_subcommands().empty()) {  // the subcommand's callback comes first
      action = [&config, options] { return list(config, *options); };
    }
  });
  CLI::App* cleaning = command->add_subcommand(
      "clean", "Removes dead instances: unnamed ones whose server was killed, named ones that have no tabs");
  cleaning->footer("It says what it did with each. Logs are never removed.");
  cleaning->callback([&config, &action] { action = [&config] { return clean_all(config); }; });
}

}  // namespace terminally
