#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tmux/manager.hpp"

namespace terminally {

/// What is kept of a command: written when it starts and again when it ends. Offsets are raw bytes of the
/// tab's log.
struct CommandRecord {
  std::string id;     ///< the first 8 digits of the nonce
  std::string nonce;  ///< 32 hexadecimal digits
  std::string command;
  CommandState state = CommandState::running;
  Reason reason = Reason::none;
  std::optional<int> exit_code;
  bool timed_out = false;
  std::uint64_t typed_byte = 0;  ///< where to look for START from
  std::uint64_t start_byte = 0;
  std::uint64_t end_byte = 0;
  std::int64_t started_at_ms = 0;
  std::int64_t deadline_at_ms = 0;  ///< since the epoch; 0: none
  std::uint64_t duration_ms = 0;
  std::string cwd;
};

/// The first words of a command, as a name for it: up to 40 ASCII characters of its first line.
[[nodiscard]] std::string first_words(const std::string& command);

/// The commands of one tab, on disk beside its log ("pane-@3.commands"): one JSON object a line, appended,
/// the last line of an id counts. A torn or foreign line is skipped. Several processes may append (O_APPEND,
/// one write).
class CommandRecords {
 public:
  explicit CommandRecords(std::filesystem::path path) : path_(std::move(path)) {}

  /// Throws Error(io).
  void append(const CommandRecord& record) const;

  /// Oldest first, each id once.
  [[nodiscard]] std::vector<CommandRecord> load() const;

  [[nodiscard]] std::optional<CommandRecord> latest() const;
  [[nodiscard]] std::optional<CommandRecord> find(std::string_view id) const;

 private:
  std::filesystem::path path_;
};

}  // namespace terminally
