#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/conventions.hpp"
#include "base/ids.hpp"
#include "shell/shells.hpp"

namespace terminally {

/// The files of running commands, in memory where that can be (Instance::files). Where there is no space, one
/// is in the instance's runtime directory, and a link leads there.
///
///     <pane>.run    a command runs in this pane: its nonce and starting directory, a line each;
///                   terminally-shell reads it
///     <nonce8>*     the wrapper, the text and the hooks (ShellScript::files)
///     <nonce8>t     "-" until the shell has come to the text; then empty, or more than that (bash)
///     <nonce8>c     a client cancelled it, perhaps by another process than looks after it; the hooks and
///                   terminally-shell say so in the tab. "force": without a C-c first
///     <nonce8>s     a client sent it a signal, by another process than looks after it
///     <nonce8>d     where the shell was when it left, if it could tell (fish)
///     <nonce>.exit  empty, then the exit code, written by the hooks or by terminally-shell: a second
///                   way to know it; its first line counts. Behind it the hooks write $PWD
///
/// Always in the runtime directory:
///
///     <pane>.lock   held (flock) by the process that looks after the pane's command
///     <pane>.typing held (flock) by the process that types a command into a nested shell there
///     <pane>.ended  how the tab's shell last ended while no command ran (shell_end.cpp)
///     nested/<pane>.<nonce8>  held (flock) by the process that looks after that command, in a nested shell
class CommandFiles {
 public:
  /// `files`: where those of commands are; none: in the runtime directory.
  CommandFiles(std::filesystem::path runtime, PaneId pane, std::filesystem::path files = {});

  /// Throws Error(io) when there is no space in either place, or others could reach the first.
  void write(const ShellScript& script, const std::string& nonce) const;
  /// Whether somebody removed the files of a command that was written and not removed.
  [[nodiscard]] bool are_gone(const std::string& nonce) const;
  void mark_running(const std::string& nonce, const std::string& cwd) const;

  /// From now on its END is followed by a line that tells a person that a client cancelled it.
  /// Whoever looks after it, in whichever process, ends it as by CommandRun::request_end.
  void mark_cancelled(const std::string& nonce, bool force = false,
                      Canceller by = Canceller::client) const noexcept;
  /// Whatever ends it from now on counts as ended by a client.
  void mark_signalled(const std::string& nonce) const noexcept;

  /// Whether the shell may have come to the text: the file that would say that it has not is gone, or empty.
  [[nodiscard]] bool may_be_taken(const std::string& nonce) const;
  /// For files that were written anew while it ran.
  void mark_taken(const std::string& nonce) const noexcept;

  /// The nonce of the command that runs in this pane, by whichever process it was started.
  [[nodiscard]] std::optional<std::string> running_nonce() const;
  [[nodiscard]] std::optional<int> exit_code(const std::string& nonce) const;
  /// `$PWD` of the shell then; empty where it is not there (yet).
  [[nodiscard]] std::string pwd_at_end(const std::string& nonce) const;
  /// When the exit code was written, in ms since the epoch; nullopt while it is not there.
  [[nodiscard]] std::optional<std::int64_t> ended_at_ms(const std::string& nonce) const;
  /// Whether somebody cancelled it, by whichever process, and how.
  struct Cancel {
    bool force = false;
    bool by_person = false;
  };
  [[nodiscard]] std::optional<Cancel> cancelled(const std::string& nonce) const;
  [[nodiscard]] bool is_signalled(const std::string& nonce) const;

  /// Takes the wrapper away: from then on the typed line runs nothing. A shell that has come to it needs the
  /// others, to its END.
  void remove_script(const std::string& nonce) const noexcept;
  /// The command has ended: takes the mark away, if it is this command's.
  void unmark_running(const std::string& nonce) const noexcept;
  /// Takes everything of a command away.
  void remove(const std::string& nonce) const noexcept;

  [[nodiscard]] std::filesystem::path lock_path() const;
  /// For a command that goes into a nested shell: the tab's lock is held by who opened that.
  [[nodiscard]] std::filesystem::path typing_lock_path() const;
  /// For one command in a nested shell: the tab's lock is held by who looks after what opened that. It is
  /// there until the command has ended, and is on record so. Its directory, which each command lists as it
  /// begins, has nothing else.
  [[nodiscard]] std::filesystem::path owner_path(const std::string& command_id) const;
  /// The tab is gone: its pane's number comes once.
  void remove_locks() const noexcept;
  /// Of the files of commands.
  [[nodiscard]] const std::filesystem::path& directory() const { return directory_; }
  [[nodiscard]] const std::filesystem::path& runtime() const { return runtime_; }
  /// The name of the mark in `directory()`.
  [[nodiscard]] const std::string& mark() const { return mark_; }

 private:
  [[nodiscard]] std::filesystem::path path_of(const std::string& nonce, CommandFile file) const;

  std::filesystem::path runtime_;
  std::filesystem::path directory_;
  std::string pane_;
  std::string mark_ = pane_ + ".run";
};

/// The ids of the commands that have a file of CommandFiles::owner_path.
[[nodiscard]] std::vector<std::string> owned_apart(const CommandFiles& files);

/// Which panes have a mark that a command runs in them: for a look at many tabs at once, which reads their
/// directory instead of trying a file for each.
class RunningMarks {
 public:
  /// False: there was none at some moment since this object was made.
  [[nodiscard]] bool may_have(const CommandFiles& files);

 private:
  using Names = std::set<std::string>;
  /// The files of each directory that was asked about; nullopt: it cannot be read.
  std::map<std::string, std::optional<Names>> found_;
};

}  // namespace terminally
