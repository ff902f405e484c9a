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

/// Where one instance keeps its things. An instance is one tmux server with its logs, addressed by name.
///
///     <runtime_root>/<name>/     tmux.sock, tmux.conf, locks
///     /dev/shm/terminally-mcp-<uid>/<hash>/   files of commands
///     <state_root>/<name>/<generation>/   logs and records; a generation is one life of the tmux server
///
/// All directories are made 0700 and checked before use (make_private_directory).
class Instance {
 public:
  /// Touches nothing on disk. Throws Error(invalid_argument) when the name cannot be used.
  Instance(const Config& config, std::string name);

  [[nodiscard]] const std::string& name() const { return name_; }
  /// By this its processes are known, in their environment: its name is not enough, because another user, or
  /// another --runtime-dir, may have one of the same name.
  [[nodiscard]] std::string cookie() const;
  [[nodiscard]] const std::filesystem::path& runtime() const { return runtime_; }
  [[nodiscard]] const std::filesystem::path& state() const { return state_; }
  /// Where the files of commands are: in memory, where /dev/shm is a tmpfs and nobody else has our place in
  /// it; else `runtime()`. The same for each process of this user, by the path of `runtime()` alone. What is
  /// above it is there; it itself is made with the first command.
  [[nodiscard]] std::filesystem::path files() const;
  [[nodiscard]] std::filesystem::path socket() const { return runtime_ / "tmux.sock"; }
  [[nodiscard]] std::filesystem::path tmux_config() const { return runtime_ / "tmux.conf"; }
  [[nodiscard]] std::filesystem::path generation(std::uint32_t number) const {
    return state_ / std::to_string(number);
  }
  /// The newest generation on disk, 0 when there is none.
  [[nodiscard]] std::uint32_t newest_generation() const;

  /// Makes the runtime and state directories and takes the owner's lock, which is held as long as the result
  /// lives. Throws Error: busy, naming the owner's pid, while another server owns the instance;
  /// invalid_argument when the socket's path is too long; io when a directory cannot be trusted.
  [[nodiscard]] FileLock own() const;
  /// As own(), to remove what is dead: others see is_being_cleaned() meanwhile.
  [[nodiscard]] FileLock own_to_clean() const;
  /// It can be owned in a moment.
  [[nodiscard]] bool is_being_cleaned() const;

  /// Whether a tmux server listens on the socket. Costs one connection.
  [[nodiscard]] bool server_listens() const;
  /// Whether a tmux server listens, or lives and has lost its socket.
  [[nodiscard]] bool server_lives() const;
  /// The pid of the tmux server that listens, or has lost its socket; 0 when there is none, or it is too busy
  /// to say.
  [[nodiscard]] int server_pid() const;
  /// The pid of its tmux server when that lives and has lost its socket, which somebody removed; else 0.
  /// Costs a look at all processes when there is no socket.
  [[nodiscard]] int server_without_socket() const;
  /// This process, if it is the tmux server of this instance: its number alone may be another's by now.
  [[nodiscard]] std::optional<ProcessId> server_process(int pid) const;
  /// The pid of the terminally-mcp server that owns it; 0 when none does. Touches nothing.
  [[nodiscard]] int owner_pid() const;
  /// Whether it was started without a name, to end with its server.
  [[nodiscard]] bool is_unnamed() const;
  void mark_unnamed() const;
  /// Removes the state directory of one that never had a tab here: there is no log in it.
  void remove_unused_state() const;

 private:
  [[nodiscard]] FileLock own_as(const std::string& owner_text) const;

  std::filesystem::path runtime_root_;
  std::filesystem::path state_root_;
  std::string name_;
  std::filesystem::path runtime_;
  std::filesystem::path state_;
};

/// 8 characters, never used before.
[[nodiscard]] std::string fresh_instance_name();

/// The instances of this user that have a runtime directory, or a state directory and a name given by
/// somebody, by name.
[[nodiscard]] std::vector<std::string> known_instances(const Config& config);

/// The instances of this user whose tmux socket accepts connections, by name.
[[nodiscard]] std::vector<std::string> running_instances(const Config& config);

}  // namespace terminally
