#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "record/record.hpp"

namespace terminally {

/// The commands of one tab, beside its log ("pane-@3.commands"): one JSON object a line, appended; the last
/// line of an id counts. A torn or foreign line is skipped, and does not spoil the next one. Several
/// processes may append; an append past kRewriteBytes rewrites the file with the last kKeptCommands only.
/// doc/pane-log.md.
class CommandRecords {
 public:
  static constexpr std::size_t kRewriteBytes = 4 << 20;
  static constexpr std::size_t kKeptBytes = 2 << 20;
  static constexpr std::size_t kKeptCommands = 1'000;

  explicit CommandRecords(std::filesystem::path path) : path_(std::move(path)) {}
  /// The same, of which a file that is there and cannot be read throws Error(io). Of other ones it is as if
  /// it had no commands: what runs goes on without it.
  [[nodiscard]] CommandRecords to_be_read_for_sure() const;

  /// Appends a record. One that cannot be written now (a full disk) is kept in memory, counts as written for
  /// this process, and is written by the next append or write_kept() that can. Returns why; empty: it is on
  /// disk.
  std::string append(const CommandRecord& record);

  /// Tries to write the records kept in memory. True: none is kept any more.
  bool write_kept();

  /// The last `most` commands, oldest first, each id once. Reads no more of the file than needed.
  [[nodiscard]] std::vector<CommandRecord> load(std::size_t most = kKeptCommands) const;

  /// Whether a line of the last `most` commands that were not withdrawn has this text, as JSON spells it.
  [[nodiscard]] bool any_has(std::string_view text, std::size_t most) const;

  [[nodiscard]] std::optional<CommandRecord> latest() const;
  [[nodiscard]] std::optional<CommandRecord> find(std::string_view id) const;

 private:
  class NewestFirst;

  std::filesystem::path path_;
  std::vector<std::string> kept_;  ///< lines not on disk yet, the last line of each id
  bool for_sure_ = false;
};

}  // namespace terminally
