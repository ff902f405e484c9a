#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/command_file.hpp"
#include "base/ids.hpp"
#include "base/memory_file.hpp"
#include "shell/shells.hpp"
#include "tab/spare_files.hpp"

namespace terminally {

/// The files of running commands in the instance's runtime directory:
///
///     <pane>.run    a command runs in this pane: its nonce and starting directory, a line each;
///                   terminally-shell reads it
///     <pane>.lock   held (flock) by the process that looks after the pane's command
///     <pane>.typing held (flock) by the process that types a command into a nested shell there
///     <nonce8>*     the wrapper, the text and the hooks (ShellScript::files)
///     <nonce8>t     "-" until the shell has come to the text; then empty, or more than that (bash)
///     <nonce8>c     a client cancelled it, perhaps by another process than looks after it; the hooks and
///                   terminally-shell say so in the tab. "force": without a C-c first
///     <nonce8>s     a client sent it a signal, by another process than looks after it
///     <nonce8>d     where the shell was when it left, if it could tell (fish)
///     <pane>.spare-* files of the last command that ended, without its text: the next one takes them
///     (SpareFiles) reserve       space for all of these, given up when there is no other (ReservedSpace)
///     Where there is none at all, they are links to memory of the process that looks after the command.
///     <nonce>.exit  empty, then the exit code, written by the hooks or by terminally-shell: a second
///                   way to know it; its first line counts
///     <pane>.ended  how the tab's shell last ended while no command ran, written by terminally-shell:
///                   exit code, how long it lived in ms, when ("start": before its first prompt, "idle": by
///                   itself at its prompt, "left"), and what was started then, "-" for nothing
class CommandFiles {
 public:
  struct ShellEnd {
    int code = 0;
    std::uint64_t lived_ms = 0;
    std::string when;
    std::string next;
  };
  /// How the shell ended, if nobody has been told yet.
  [[nodiscard]] std::optional<ShellEnd> shell_end() const;
  /// The same, and tells it.
  [[nodiscard]] std::optional<ShellEnd> take_shell_end() const;

  CommandFiles(std::filesystem::path directory, PaneId pane);

  /// Throws Error(io) when not even links can be made.
  void write(const ShellScript& script, const std::string& nonce) const;
  /// Whether somebody removed the files of a command that was written and not removed.
  [[nodiscard]] bool are_gone(const std::string& nonce) const;
  void mark_running(const std::string& nonce, const std::string& cwd) const;

  /// From now on its END is followed by a line that tells a person that a client cancelled it.
  /// Whoever looks after it, in whichever process, ends it as by CommandRun::interrupt.
  void mark_cancelled(const std::string& nonce, bool force = false) const noexcept;
  /// Whatever ends it from now on counts as ended by a client.
  void mark_signalled(const std::string& nonce) const noexcept;

  /// Whether the shell may have come to the text: the file that would say that it has not is gone, or empty.
  [[nodiscard]] bool may_be_taken(const std::string& nonce) const;
  /// For files that were written anew while it ran.
  void mark_taken(const std::string& nonce) const noexcept;

  /// The nonce of the command that runs in this pane, by whichever process it was started.
  [[nodiscard]] std::optional<std::string> running_nonce() const;
  [[nodiscard]] std::optional<int> exit_code(const std::string& nonce) const;
  /// When the exit code was written, in ms since the epoch; nullopt while it is not there.
  [[nodiscard]] std::optional<std::int64_t> ended_at_ms(const std::string& nonce) const;
  /// Whether a client cancelled it, by whichever process.
  [[nodiscard]] bool is_cancelled(const std::string& nonce) const;
  [[nodiscard]] bool is_cancelled_by_force(const std::string& nonce) const;
  [[nodiscard]] bool is_signalled(const std::string& nonce) const;

  /// Takes the wrapper away: from then on the typed line runs nothing. A shell that has come to it needs the
  /// others, to its END.
  void remove_script(const std::string& nonce) const noexcept;
  /// The command has ended: takes the mark away, if it is this command's.
  void unmark_running(const std::string& nonce) const noexcept;
  /// Takes everything of a command away.
  void remove(const std::string& nonce) const noexcept;
  /// Its shell has come to its END by the wrapper. The files stay until `tidy`, or until the next command is
  /// written, which takes them. False: they are links to memory, and are to be removed.
  [[nodiscard]] bool note_end(const std::string& nonce) const;
  /// Whether that was the last one, and the next has not taken them.
  [[nodiscard]] bool has_ended_last(const std::string& nonce) const { return kept_->ended == nonce; }
  /// Takes everything of it away, and keeps for the next what can be kept, if the tab lives.
  void tidy(const std::string& nonce, bool tab_lives) const noexcept;

  [[nodiscard]] std::filesystem::path lock_path() const;
  /// For a command that goes into a nested shell: the tab's lock is held by who opened that.
  [[nodiscard]] std::filesystem::path typing_lock_path() const;
  /// The tab is gone, with what was kept for its next command: its pane's number comes once.
  void remove_locks() const noexcept;
  [[nodiscard]] const std::filesystem::path& directory() const { return directory_; }

 private:
  void write_all_of(const ShellScript& script, const std::string& nonce) const;
  void put_aside(const std::string& nonce, bool emptied) const noexcept;
  void remove_spares() const noexcept;
  void remove_what_few_have(const std::string& nonce) const noexcept;
  void keep_all_of(const ShellScript& script, const std::string& nonce) const;
  [[nodiscard]] std::filesystem::path path_of(const std::string& nonce, CommandFile file) const;
  [[nodiscard]] std::filesystem::path exit_path(const std::string& nonce) const;

  std::filesystem::path directory_;
  std::string pane_;
  SpareFiles spare_;
  struct Kept {
    /// The files of a command for which there was no space.
    std::map<std::string, std::vector<MemoryFile>> in_memory;
    std::string ended;  ///< the nonce of the command that note_end was told of
  };
  /// Shared: copies of this tidy up after commands.
  std::shared_ptr<Kept> kept_ = std::make_shared<Kept>();
};

}  // namespace terminally
