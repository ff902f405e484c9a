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

bool is_still_unfinished(const Tab& tab, const CommandRecord& record) {
  const auto now = tab.records.find(record.id);
  return now && now->state == CommandState::running;
}

/// nullopt: its owner lives, or it has just ended.
std::optional<Unfinished> taken_over(const Tab& tab, CommandRecord record) {
  FileLock owner;
  if (record.owned_apart && !tab.closed) {
    try {
      owner = try_lock_or_inherit(tab.files.owner_path(record.nonce));
    } catch (const Error&) {
      return std::nullopt;  // no file can be made there: the next look tries again
    }
    if (!owner) {
      return std::nullopt;
    }
    if (!is_still_unfinished(tab, record)) {
      tab.files.remove(record.nonce);
      return std::nullopt;
    }
  }
  return Unfinished{std::move(record), std::move(owner)};
}

}  // namespace

std::vector<Unfinished> unfinished_commands(const Tab& tab, bool has_tab) {
  std::vector<CommandRecord> running;
  const auto is_ours = [&tab](const std::string& nonce) {
    return std::ranges::any_of(tab.runs, [&](const auto& run) { return run->record().nonce == nonce; });
  };
  const auto nonce = has_tab && !tab.closed ? tab.files.running_nonce() : std::nullopt;
  if (nonce && !is_ours(*nonce)) {
    if (auto record = marked_command(tab, *nonce)) {
      running.push_back(std::move(*record));
    }
  }
  for (CommandRecord& record : tab.records.load(kNested)) {
    if (record.state == CommandState::running && record.nonce != nonce && !is_ours(record.nonce) &&
        (has_tab || record.owned_apart)) {
      running.push_back(std::move(record));
    }
  }
  std::vector<Unfinished> unfinished;
  for (CommandRecord& record : running) {
    if (auto one = taken_over(tab, std::move(record))) {
      unfinished.push_back(std::move(*one));
    }
  }
  return unfinished;
}

bool may_have_unfinished(const Tab& tab) {
  if (tab.runs.empty()) {
    return (!tab.closed && tab.files.running_nonce()) || tab.records.any_has(R"("state":"running")", 1);
  }
  if (!tab.command_lock) {
    return true;  // another process has what opened the shell that ours run in
  }
  const auto last = tab.records.latest();
  return last && last->state == CommandState::running && last->owned_apart;
}

}  // namespace terminally
