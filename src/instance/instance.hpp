#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/files.hpp"
#include "config.hpp"
#include "system/proc.hpp"

namespace terminally {

/// An instance is one tmux server with its logs, addressed by name. This class knows its files and its lock:
///
///     <runtime_root>/<name>/              tmux.sock, tmux.conf, locks
///     /dev/shm/terminally-mcp-<uid>/<hash>/   files of commands, where that is a tmpfs
///     <state_root>/<name>/<generation>/   logs and records; a generation is one life of the tmux server
///
/// All directories are made 0700 and checked before use (make_private_directory).
class Instance {
 public:
  /// Touches nothing on disk. Throws Error(invalid_argument) when the name cannot be used.
  Instance(const Config& config, std::string name);

  [[nodiscard]] const std::string& name() const { return name_; }
  /// Identifies the instance's processes by their environment. The name is not enough, because another user,
  /// or another --runtime-dir, may have an instance of the same name.
  [[nodiscard]] std::string cookie() const;
  [[nodiscard]] const std::filesystem::path& runtime() const { return runtime_; }
  [[nodiscard]] const std::filesystem::path& state() const { return state_; }
  /// Where the files of commands are: in memory, where /dev/shm is a tmpfs and our place there is free; else
  /// `runtime()`. All processes of this user derive the same path from `runtime()`. Its parent directory
  /// exists; the directory itself is made with the first command.
  [[nodiscard]] std::filesystem::path files() const;
  [[nodiscard]] std::filesystem::path socket() const { return runtime_ / "tmux.sock"; }
  [[nodiscard]] std::filesystem::path tmux_config() const { return runtime_ / "tmux.conf"; }
  [[nodiscard]] std::filesystem::path generation(std::uint32_t number) const {
    return state_ / std::to_string(number);
  }
  /// The newest generation on disk, 0 when there is none. Throws Error(io) where that is unknown.
  [[nodiscard]] std::uint32_t newest_generation() const;

  /// Throws Error: invalid_argument when it has files of others, io when it cannot be trusted.
  void make_runtime_directory() const;
  /// Makes the runtime and state directories and takes the owner's lock, which is held as long as the result
  /// lives. Throws Error: busy, naming the owner's pid, while another server owns the instance;
  /// invalid_argument when the socket's path is too long or the runtime directory has files of others; io
  /// when a directory cannot be trusted.
  [[nodiscard]] FileLock own() const;
  /// As own(), to remove a dead instance: others see is_being_cleaned() meanwhile.
  [[nodiscard]] FileLock own_to_clean() const;
  /// Whether another process is just removing the instance: own() may work in a moment.
  [[nodiscard]] bool is_being_cleaned() const;

  /// Whether a tmux server listens on the socket; true where that is unknown. Costs one connection.
  [[nodiscard]] bool server_listens() const;
  /// Whether a tmux server listens, or lives without its socket.
  [[nodiscard]] bool server_lives() const;
  /// The pid of that tmux server; 0 when there is none, or when it is too busy to accept a connection.
  [[nodiscard]] int server_pid() const;
  /// The pid of a tmux server whose socket somebody removed, else 0. Without a socket reads all processes.
  [[nodiscard]] int server_without_socket() const;
  /// The identity of process `pid`, if that is the tmux server of this instance; the pid alone may be reused.
  [[nodiscard]] std::optional<ProcessId> server_process(int pid) const;
  /// The pid of the terminally-mcp server that owns the instance; 0 when none does. Touches nothing.
  [[nodiscard]] int owner_pid() const;
  /// Whether the instance was started without a name, to end with its server.
  [[nodiscard]] bool is_unnamed() const;
  void mark_unnamed() const;
  /// Removes the state directory of an instance that never had a tab: it has no log.
  void remove_unused_state() const;

 private:
  [[nodiscard]] FileLock own_as(const std::string& owner_text) const;

  std::filesystem::path runtime_root_;
  std::filesystem::path state_root_;
  std::string name_;
  std::filesystem::path runtime_;
  std::filesystem::path state_;
};

/// 8 random hex digits.
[[nodiscard]] std::string fresh_instance_name();

/// The instances of this user, by name: with a runtime directory, or named and with a state directory.
[[nodiscard]] std::vector<std::string> known_instances(const Config& config);

/// The instances of this user whose tmux socket accepts connections, by name.
[[nodiscard]] std::vector<std::string> running_instances(const Config& config);

}  // namespace terminally
