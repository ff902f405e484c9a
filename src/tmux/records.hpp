#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tmux/manager.hpp"

namespace terminally {

/// What is kept of a command: written before it is typed, when it begins, when its deadline moves, when it is
/// interrupted, and when it has ended. Offsets are raw bytes of the tab's log. What ends in `_steady_ms` is
/// on the monotonic clock, which all processes of one boot share and nobody can set; a command does not
/// outlive its boot.
struct CommandRecord {
  std::string id;     ///< the first 8 digits of the nonce
  std::string nonce;  ///< 32 hexadecimal digits; empty for what a person had started
  std::string command;
  std::string who;  ///< the client's name and version, "cli", or "a person"; may be empty
  CommandState state = CommandState::running;
  Reason reason = Reason::none;  ///< of a running one: why it is being ended
  std::optional<int> exit_code;
  bool timed_out = false;
  std::uint64_t typed_byte = 0;  ///< where to look for START from
  std::uint64_t start_byte = 0;
  std::uint64_t end_byte = 0;
  std::uint64_t unread_from = 0;   ///< its END may come into the log behind this offset; 0: it does not
  std::int64_t started_at_ms = 0;  ///< since the epoch
  std::int64_t started_steady_ms = 0;
  std::int64_t deadline_steady_ms = 0;  ///< 0: none
  std::uint64_t started_ticks = 0;      ///< as the start_ticks of processes
  int shell_pid = 0;                    ///< the shell that it was typed into
  std::uint64_t shell_image = 0;        ///< what that ran then, see process_image
  std::vector<int> older_jobs;          ///< that shell's children from before
  std::uint64_t duration_ms = 0;
  std::string cwd;
  std::vector<std::string> notes;  ///< what the reader of its result should know
  bool signalled = false;  ///< stop_process has sent it a signal, or was about to: its end counts as ours
  bool withdrawn = false;  ///< it was not run after all: it is nobody's command
};

/// The first words of a command, as a name for it: up to 40 ASCII characters of its first line.
[[nodiscard]] std::string first_words(const std::string& command);

/// One line of JSON, its newline included.
[[nodiscard]] std::string encode_record(const CommandRecord& record);
/// nullopt for what is no record of ours: a line that was torn, or has numbers that none of ours has.
[[nodiscard]] std::optional<CommandRecord> decode_record(std::string_view line);

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

  [[nodiscard]] std::optional<CommandRecord> latest() const;
  [[nodiscard]] std::optional<CommandRecord> find(std::string_view id) const;

 private:
  class NewestFirst;

  std::filesystem::path path_;
  std::vector<std::string> kept_;  ///< lines that are not on disk yet, the last of each id
};

}  // namespace terminally
