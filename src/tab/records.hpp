#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tab/record.hpp"

namespace terminally {

/// The commands of one tab, on disk beside its log ("pane-@3.commands"): one JSON object a line, appended,
/// the last line of an id counts. A torn or foreign line is skipped, and does not spoil the one after it.
/// Several processes may append; when the file has grown past kRewriteBytes, whoever appends rewrites it with
/// the last kKeptCommands only. doc/pane-log.md.
class CommandRecords {
 public:
  static constexpr std::size_t kRewriteBytes = 4 << 20;
  static constexpr std::size_t kKeptBytes = 2 << 20;
  static constexpr std::size_t kKeptCommands = 1'000;

  explicit CommandRecords(std::filesystem::path path) : path_(std::move(path)) {}

  /// What cannot be written now (a full disk) is kept in memory, counts as written for this process, and is
  /// written by the next append or write_kept() that can. Returns why it was not; empty: it is on disk.
  std::string append(const CommandRecord& record);

  /// True: nothing is kept in memory any more.
  bool write_kept();

  /// Oldest first, each id once, the last `most` of them. Reads no more of the file than that takes.
  [[nodiscard]] std::vector<CommandRecord> load(std::size_t most = kKeptCommands) const;

  /// Whether this stands in the line of one of the last `most` commands that were not withdrawn, as JSON
  /// spells it. Nothing is parsed.
  [[nodiscard]] bool any_has(std::string_view text, std::size_t most) const;

  [[nodiscard]] std::optional<CommandRecord> latest() const;
  [[nodiscard]] std::optional<CommandRecord> find(std::string_view id) const;

 private:
  class NewestFirst;

  std::filesystem::path path_;
  std::vector<std::string> kept_;  ///< lines that are not on disk yet, the last of each id
};

}  // namespace terminally
