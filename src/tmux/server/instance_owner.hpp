#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "base/awaitable.hpp"
#include "base/background.hpp"
#include "base/files.hpp"
#include "base/keyed_mutex.hpp"
#include "config.hpp"
#include "instance/instance.hpp"
#include "instance/starting_lock.hpp"
#include "system/process_watch.hpp"

namespace terminally {

/// This process in its instance: as its keeper, beside the keeper, or as a guest; and the directories and the
/// socket of the instance, which somebody may remove under a tmux server that lives.
///
/// Of the servers of a named instance one is the keeper: it has the instance's lock, and does what is to be
/// done once. The others serve all the same; one of them is the keeper as soon as the lock is free. An
/// unnamed instance has one server.
class InstanceOwner {
 public:
  /// `config` outlives the owner.
  InstanceOwner(const boost::asio::any_io_executor& executor, const Config& config);

  [[nodiscard]] const Instance& instance() const { return instance_; }
  /// Whether the instance is a named one, whose tmux server lives on without us.
  [[nodiscard]] bool durable() const { return durable_; }
  [[nodiscard]] bool keeps() const { return static_cast<bool>(owner_lock_); }
  /// Is called when this process has come to be the keeper in place of another.
  void on_keeping(std::function<void()> told) { told_ = std::move(told); }

  /// Comes to the instance before a tmux server that runs there is asked; a guest does not. Throws
  /// Error(busy) where another server has an instance for itself: an unnamed one, or one of another PID
  /// namespace.
  [[nodiscard]] Awaitable<void> own_to_find();
  /// The same so that tabs may be opened in its name elsewhere. Throws Error(busy) while another keeps it.
  [[nodiscard]] Awaitable<void> own_for_hosts();

  /// For who opens a tab. Throws Error(busy) where another process starts a tmux server for too long.
  [[nodiscard]] Awaitable<StartingLock> lock_to_open() const;
  /// For who starts a tmux server. nullopt: one lives meanwhile, which another process has started. Throws
  /// Error(busy) likewise, Error(not_found) for a guest.
  [[nodiscard]] Awaitable<std::optional<StartingLock>> own_to_start();
  /// For who clears up after a tmux server that is lost. nullopt: another process is at it, or has done so.
  [[nodiscard]] std::optional<StartingLock> lock_to_clear_up() const;

  /// Has the tmux server (`server_pid`, 0: not known) make its socket again, and takes the owner's lock
  /// again. While both are there, this costs a look at two files.
  [[nodiscard]] Awaitable<void> restore_socket(int server_pid);
  /// Makes the directory of the logs of this generation (0: there is none) again.
  void restore_log_directory(std::uint32_t generation) const;

  /// Ends an unnamed instance, and gives the lock back. Within 1.5 s.
  [[nodiscard]] Awaitable<void> shut_down(int server_pid);

 private:
  [[nodiscard]] bool has_lock() const { return owner_lock_ && !owner_lock_.is_unlinked(); }
  [[nodiscard]] bool is_kept_by_equal() const;
  [[nodiscard]] Awaitable<void> own_unless_equal_does();
  [[nodiscard]] Awaitable<void> come();
  [[nodiscard]] Awaitable<void> come_to_open();
  void join_peers();
  [[nodiscard]] bool watch_keeper();
  [[nodiscard]] Awaitable<void> take_over();

  boost::asio::any_io_executor executor_;
  const Config& config_;
  bool durable_;
  Instance instance_;
  FileLock owner_lock_;
  FileLock joined_;  ///< of Peers
  ProcessWatch keeper_watch_;
  std::optional<Background> taking_over_;
  std::function<void()> told_;
  std::shared_ptr<AsyncMutex> owning_ = std::make_shared<AsyncMutex>();
  std::shared_ptr<AsyncMutex> restoring_socket_ = std::make_shared<AsyncMutex>();
};

}  // namespace terminally
