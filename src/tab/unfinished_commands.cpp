// Finds the running commands of a tab by its records.
#include "tab/unfinished_commands.hpp"

#include <optional>
#include <string>
#include <utility>

#include "base/conventions.hpp"
#include "base/error.hpp"

namespace terminally {
namespace {

/// How many of the last commands may be nested.
constexpr std::size_t kNested = 8;

}  // namespace

std::vector<CommandRecord> unfinished_commands(const Tab& tab) {
  std::vector<CommandRecord> unfinished;
  const auto nonce = tab.closed ? std::nullopt : tab.files.running_nonce();
  if (nonce) {
    bool is_known = true;
    std::optional<CommandRecord> record;
    try {
      record = tab.records.to_be_read_for_sure().find(command_id_of(*nonce));
    } catch (const Error&) {
      is_known = false;
    }
    if (record && record->state == CommandState::running) {
      unfinished.push_back(std::move(*record));
    } else if (is_known) {
      tab.files.remove(*nonce);  // its process died after it recorded the end, or the command was withdrawn
    }
  }
  for (CommandRecord& record : tab.records.load(kNested)) {
    if (record.state == CommandState::running && record.nonce != nonce) {
      unfinished.push_back(std::move(record));
    }
  }
  return unfinished;
}

bool may_have_unfinished(const Tab& tab) {
  if (!tab.closed && tab.files.running_nonce()) {
    return true;
  }
  return tab.records.any_has(R"("state":"running")", 1);
}

}  // namespace terminally
