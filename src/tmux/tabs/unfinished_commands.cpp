// Finds the running commands of a tab by its records.
#include "tmux/tabs/unfinished_commands.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "base/conventions.hpp"
#include "base/error.hpp"
#include "command/command_run.hpp"
#include "system/inherited_lock.hpp"

namespace terminally {
namespace {

/// How many of the last commands may be nested.
constexpr std::size_t kNested = 8;

/// The command that has the tab, by its mark there.
std::optional<CommandRecord> marked_command(const Tab& tab, const std::string& nonce) {
  std::optional<CommandRecord> record;
  try {
    record = tab.records.to_be_read_for_sure().find(command_id_of(nonce));
  } catch (const Error&) {
    return std::nullopt;
  }
  if (!record || record->state != CommandState::running) {
    tab.files.remove(nonce);  // its process died after it recorded the end, or the command was withdrawn
    return std::nullopt;
  }
  return record;
}

std::optional<CommandRecord> running_command(const Tab& tab, const std::string& id) {
  auto record = tab.records.find(id);
  return record && record->state == CommandState::running ? std::move(record) : std::nullopt;
}

/// One that has a lock of its own. nullopt: its owner lives, or it has just ended.
std::optional<Unfinished> taken_over(const Tab& tab, const std::string& id) {
  try {
    FileLock owner = try_lock_or_inherit(tab.files.owner_path(id));
    if (!owner) {
      return std::nullopt;
    }
    if (auto record = running_command(tab, id)) {
      return Unfinished{std::move(*record), std::move(owner)};
    }
    remove_file(tab.files.owner_path(id));
  } catch (const Error&) {  // NOLINT(bugprone-empty-catch): the next look tries again
  }
  return std::nullopt;
}

}  // namespace

std::vector<Unfinished> unfinished_commands(const Tab& tab, bool has_tab) {
  std::vector<Unfinished> unfinished;
  const auto nonce = has_tab && !tab.closed ? tab.files.running_nonce() : std::nullopt;
  if (nonce && !has_run(tab, command_id_of(*nonce))) {
    if (auto record = marked_command(tab, *nonce)) {
      unfinished.push_back({std::move(*record), FileLock()});
    }
  }
  for (const std::string& id : tab.closed ? std::vector<std::string>() : owned_apart(tab.files)) {
    if (auto one = has_run(tab, id) ? std::nullopt : taken_over(tab, id)) {
      unfinished.push_back(std::move(*one));
    }
  }
  // Of a closed tab all that are left; else those of an earlier version, which had no lock of their own.
  for (CommandRecord& record : has_tab
                                   ? tab.records.load(tab.closed ? CommandRecords::kKeptCommands : kNested)
                                   : std::vector<CommandRecord>()) {
    const bool counts = record.state == CommandState::running && (tab.closed || !record.owned_apart);
    if (counts && record.nonce != nonce && !has_run(tab, record.id)) {
      unfinished.push_back({std::move(record), FileLock()});
    }
  }
  return unfinished;
}

bool may_have_unfinished(const Tab& tab) {
  constexpr std::string_view kRunning = R"("state":"running")";
  if (tab.closed) {
    return tab.records.any_has(kRunning, CommandRecords::kKeptCommands);
  }
  if (tab.runs.empty() && (tab.files.running_nonce() || tab.records.any_has(kRunning, 1))) {
    return true;
  }
  // In a shell that a command of another process opened, that may be left as well.
  const auto apart =
      std::ranges::count_if(tab.runs, [](const auto& run) { return run->record().owned_apart; });
  return (!tab.runs.empty() && !tab.command_lock) || std::ssize(owned_apart(tab.files)) > apart;
}

}  // namespace terminally
