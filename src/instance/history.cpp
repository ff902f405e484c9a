// Reads the last commands of an instance from the records of all its tabs.
#include "instance/history.hpp"

#include <algorithm>
#include <tuple>

#include "base/files.hpp"
#include "base/timeout.hpp"
#include "instance/tab_ids.hpp"
#include "tab/tab.hpp"

namespace terminally {
namespace {

/// Completes a record that its process had no time to finish.
void bring_up_to_date(PastCommand& command, const Instance& instance, const std::vector<WindowId>& open) {
  CommandRecord& record = command.record;
  record.end_byte = std::max(record.end_byte, record.start_byte);
  if (record.state != CommandState::running) {
    return;
  }
  if (std::find(open.begin(), open.end(), command.window_id) == open.end()) {
    record.state = CommandState::failed;
    record.reason = instance.server_lives() ? Reason::tab_closed : Reason::tmux_server_lost;
  } else {
    record.duration_ms = static_cast<std::uint64_t>(
        std::max<std::int64_t>(0, steady_ms(Clock::now()) - record.started_steady_ms));
  }
}

/// Nobody asked for it, and it says nothing that the command behind it does not.
bool is_our_way_there(const CommandRecord& record) {
  return record.who == kOurselves && record.state == CommandState::completed && record.exit_code == 0;
}

/// At most every second command is a way of ours.
void add_commands(std::vector<PastCommand>& commands, const std::filesystem::path& generation,
                  std::optional<WindowId> tab, std::size_t most) {
  for (const std::filesystem::path& path : entries_of(generation)) {
    const auto window = tab_of_records(path);
    if (!window || (tab && *tab != *window)) {
      continue;
    }
    for (CommandRecord& record : CommandRecords(path).to_be_read_for_sure().load(2 * most)) {
      if (!is_our_way_there(record)) {
        commands.push_back(PastCommand{*window, std::move(record)});
      }
    }
  }
}

}  // namespace

std::vector<PastCommand> read_history(const Instance& instance, std::optional<WindowId> tab, std::size_t most,
                                      const std::vector<WindowId>& open) {
  std::vector<PastCommand> commands;
  for (const std::uint32_t generation : generations(instance)) {
    add_commands(commands, instance.generation(generation), tab, most);
    if (commands.size() >= most) {
      break;  // commands of earlier generations are older
    }
  }
  std::ranges::sort(commands, {}, [](const PastCommand& command) {
    return std::tuple(command.record.started_at_ms, command.window_id.number, command.record.typed_byte);
  });
  commands.erase(commands.begin(),
                 commands.end() - static_cast<std::ptrdiff_t>(std::min(most, commands.size())));
  for (PastCommand& command : commands) {
    bring_up_to_date(command, instance, open);
  }
  return commands;
}

std::optional<PastCommand> find_by_key(const Instance& instance, const std::string& key) {
  for (const std::uint32_t generation : generations(instance)) {
    for (const std::filesystem::path& path : entries_of(instance.generation(generation))) {
      const auto window = tab_of_records(path);
      const CommandRecords records = CommandRecords(path).to_be_read_for_sure();
      if (!window || !records.any_has('"' + key + '"', CommandRecords::kKeptCommands)) {
        continue;
      }
      for (CommandRecord& record : records.load()) {
        if (record.task_key == key && !record.withdrawn) {
          return PastCommand{*window, std::move(record)};
        }
      }
    }
  }
  return std::nullopt;
}

}  // namespace terminally
