#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <cstdint>
#include <memory>

#include "base/awaitable.hpp"
#include "base/files.hpp"
#include "base/keyed_mutex.hpp"
#include "config.hpp"
#include "instance/instance.hpp"

namespace terminally {

/// This process as the owner of its instance, or as a guest there: the owner's lock, and the directories and
/// the socket of the instance, which somebody may remove under a tmux server that lives.
class InstanceOwner {
 public:
  /// `config` outlives the owner.
  InstanceOwner(boost::asio::any_io_executor executor, const Config& config);

  [[nodiscard]] const Instance& instance() const { return instance_; }
  /// Whether the instance is a named one, whose tmux server lives on without us.
  [[nodiscard]] bool durable() const { return durable_; }

  /// Takes the instance before a tmux server that runs there is asked; a guest does not. Throws Error(busy).
  [[nodiscard]] Awaitable<void> own_to_find();
  /// Takes the instance so that a tmux server may be started there. Throws Error(not_found) for a guest.
  [[nodiscard]] Awaitable<void> own_to_start();

  /// Has the tmux server (`server_pid`, 0: not known) make its socket again, and takes the owner's lock
  /// again. While both are there, this costs a look at two files.
  [[nodiscard]] Awaitable<void> restore_socket(int server_pid);
  /// Makes the directory of the logs of this generation (0: there is none) again.
  void restore_log_directory(std::uint32_t generation) const;

  /// Ends an unnamed instance, and gives the lock back. Within 1.5 s.
  [[nodiscard]] Awaitable<void> shut_down(int server_pid);

 private:
  [[nodiscard]] bool owns() const { return owner_lock_ && !owner_lock_.is_unlinked(); }
  [[nodiscard]] Awaitable<void> own_instance();

  boost::asio::any_io_executor executor_;
  const Config& config_;
  bool durable_;
  Instance instance_;
  FileLock owner_lock_;
  std::shared_ptr<AsyncMutex> restoring_socket_ = std::make_shared<AsyncMutex>();
};

}  // namespace terminally
