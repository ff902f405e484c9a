// Comes to an instance, keeps it or watches who does, and makes again what somebody removed from under its
// tmux server.
#include "tmux/server/instance_owner.hpp"

#include <signal.h>

#include <boost/asio.hpp>

#include "base/error.hpp"
#include "instance/left_behind.hpp"
#include "instance/peers.hpp"
#include "system/proc.hpp"
#include "system/signals.hpp"
#include "tmux/server/instance_end.hpp"

namespace terminally {
namespace {

namespace asio = boost::asio;

constexpr Milliseconds kCleanedWithin{3'000};
/// How long a server that is leaving is waited for, where there can be no two: it is gone 2 s after the end
/// of its stdin.
constexpr Milliseconds kOwnerLeavesWithin{2'000};
constexpr Milliseconds kMadeAgainWithin{2'000};
/// How long another process may take to start a tmux server.
constexpr Milliseconds kStartsWithin{4'000};
constexpr Milliseconds kStartingLook{5};
/// A keeper that cannot be watched, for want of a descriptor, is looked at.
constexpr Milliseconds kKeeperLook{200};

using TryStartingLock = std::optional<StartingLock> (*)(const Instance&);

/// Throws Error(busy) where another process has it for too long.
Awaitable<StartingLock> starting_lock(const Instance& instance, TryStartingLock try_lock) {
  const auto patience = Clock::now() + kStartsWithin;
  std::optional<StartingLock> lock = try_lock(instance);
  while (!lock) {
    if (Clock::now() >= patience) {
      const int holder = StartingLock::holder(instance);
      throw Error(ErrorCode::busy,
                  "another process" + (holder == 0 ? "" : ", pid " + std::to_string(holder) + ",") +
                      " has been starting the tmux server of instance \"" + instance.name() + "\" for " +
                      std::to_string(kStartsWithin.count() / 1'000) + " s; nothing was opened. Try again");
    }
    co_await sleep_for(kStartingLook);
    lock = try_lock(instance);
  }
  co_return std::move(*lock);
}

}  // namespace

InstanceOwner::InstanceOwner(const boost::asio::any_io_executor& executor, const Config& config)
    : executor_(executor),
      config_(config),
      durable_(!config_.instance.empty()),
      instance_(config_, durable_ ? config_.instance : fresh_instance_name()),
      keeper_watch_(executor) {}

/// One that we can see, and that shares it.
bool InstanceOwner::is_kept_by_equal() const {
  return durable_ && !instance_.is_unnamed() && !instance_.is_being_cleaned() &&
         is_alive(instance_.owner_pid());
}

/// What cleans it just now (`instances clean`) is gone in a moment, and so may be the server whose client has
/// just started us in its place.
Awaitable<void> InstanceOwner::own_unless_equal_does() {
  const auto turn = co_await owning_->lock();
  const auto begin = Clock::now();
  if (owner_lock_.is_unlinked()) {
    owner_lock_.release();
  }
  bool equal = false;
  while (!owner_lock_ && !equal) {
    try {
      owner_lock_ = instance_.own();
    } catch (const Error& error) {
      const bool busy = error.code() == ErrorCode::busy;
      equal = busy && is_kept_by_equal();
      const auto patience = instance_.is_being_cleaned() ? kCleanedWithin : kOwnerLeavesWithin;
      if (!busy || (!equal && Clock::now() - begin >= patience)) {
        throw;
      }
    }
    if (!owner_lock_ && !equal) {
      co_await sleep_for(Milliseconds(20));
    }
  }
  if (owner_lock_ && config_.temporary) {
    mark_temporary(instance_);
  }
  note_served(instance_);
}

/// Where no file can be made there, nobody is told of our end.
void InstanceOwner::join_peers() {
  if (durable_ && (!joined_ || joined_.is_unlinked())) {
    try {
      joined_ = Peers(instance_).join();
    } catch (const Error&) {  // NOLINT(bugprone-empty-catch)
    }
  }
}

Awaitable<void> InstanceOwner::come() {
  const bool had = keeps();
  const bool was_there = static_cast<bool>(joined_);
  co_await own_unless_equal_does();
  join_peers();
  if (was_there && !had && owner_lock_ && told_) {
    told_();
  }
  const bool looks = taking_over_ && !taking_over_->over();
  if (owner_lock_) {
    keeper_watch_.stop();
  } else if (!looks && !watch_keeper()) {
    taking_over_.emplace(executor_, take_over());
  }
}

Awaitable<void> InstanceOwner::come_to_open() {
  if (has_lock()) {
    co_return;
  }
  co_await come();
  if (!owner_lock_) {
    co_return;
  }
  if (!durable_) {
    instance_.mark_unnamed();
  }
  asio::co_spawn(executor_, end_abandoned_instances(config_, instance_.name()), asio::detached);
}

/// False: it cannot be watched, or is another by now.
bool InstanceOwner::watch_keeper() {
  const int keeper = instance_.owner_pid();
  const bool watched =
      keeper != 0 && keeper_watch_.start(keeper, [this] { taking_over_.emplace(executor_, take_over()); });
  return watched && instance_.owner_pid() == keeper;
}

Awaitable<void> InstanceOwner::take_over() {
  while (!owner_lock_) {
    try {
      co_await own_unless_equal_does();
    } catch (const Error&) {
      co_return;  // it is gone: the next call makes it again, or says what is wrong
    }
    if (!owner_lock_ && watch_keeper()) {
      co_return;
    }
    if (!owner_lock_) {
      co_await sleep_for(kKeeperLook);
    }
  }
  if (told_) {
    told_();
  }
}

Awaitable<void> InstanceOwner::own_to_find() {
  if (!owner_lock_ && !config_.guest) {
    co_await come();
  }
}

Awaitable<void> InstanceOwner::own_for_hosts() {
  co_await come_to_open();
  if (!owner_lock_) {
    throw Error(ErrorCode::busy, "the hosts of instance \"" + instance_.name() +
                                     "\" are used by one server at a time, and that is pid " +
                                     std::to_string(instance_.owner_pid()) +
                                     " as long as it runs; use another --instance for hosts here");
  }
}

Awaitable<StartingLock> InstanceOwner::lock_to_open() const {
  try {
    co_return co_await starting_lock(instance_, StartingLock::try_shared);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::busy) {
      throw;
    }
  }
  co_return StartingLock();  // no file can be made there
}

Awaitable<std::optional<StartingLock>> InstanceOwner::own_to_start() {
  if (config_.guest) {
    throw Error(ErrorCode::not_found,
                "instance \"" + instance_.name() +
                    "\" has no tmux server any more; its own terminally-mcp starts it anew");
  }
  co_await come_to_open();
  std::optional<StartingLock> lock = co_await starting_lock(instance_, StartingLock::try_alone);
  if (durable_ && instance_.server_lives()) {
    lock.reset();
  }
  co_return lock;
}

std::optional<StartingLock> InstanceOwner::lock_to_clear_up() const {
  std::optional<StartingLock> lock;
  try {
    lock = StartingLock::try_alone(instance_);
  } catch (const Error&) {
    lock.emplace();  // its directory is gone
  }
  return lock && !instance_.server_lives() ? std::move(lock) : std::nullopt;
}

/// Cleaners of /tmp remove the socket; tmux makes it again at SIGUSR1. Without it nobody could reach the
/// tabs, and the next server would take them for leftovers.
Awaitable<void> InstanceOwner::restore_socket(int server_pid) {
  if (!is_gone(instance_.socket()) && !owner_lock_.is_unlinked()) {
    co_return;
  }
  const auto patience = Clock::now() + kMadeAgainWithin;
  const AsyncMutex::Turn turn = co_await restoring_socket_->lock_by(patience);
  const int pid = server_pid != 0 ? server_pid : instance_.server_without_socket();
  if (pid == 0 || !is_alive(pid)) {
    co_return;
  }
  if (!config_.guest && !has_lock()) {
    co_await come();  // the lock went with the directory
    if (!durable_) {
      instance_.mark_unnamed();
    }
  }
  if (!is_gone(instance_.socket())) {
    co_return;
  }
  make_private_directory(instance_.runtime().parent_path());
  make_private_directory(instance_.runtime());
  if (const auto server = instance_.server_process(pid)) {
    signal_process(*server, SIGUSR1);
  }
  while (is_alive(pid) && !instance_.server_listens()) {
    if (Clock::now() >= patience) {
      throw Error(ErrorCode::tmux_timeout, "the socket of the tmux server, " + instance_.socket().string() +
                                               ", was removed, and its process, pid " + std::to_string(pid) +
                                               ", does not make it again (it is stopped or overloaded); try "
                                               "again later");
    }
    co_await sleep_for(Milliseconds(5));
  }
}

/// A writer makes the directory again with its next byte, but a command is recorded, and its log watched,
/// before there is one.
void InstanceOwner::restore_log_directory(std::uint32_t generation) const {
  const std::filesystem::path directory = instance_.generation(generation);
  if (generation != 0 && is_gone(directory)) {
    const bool unnamed = config_.guest ? instance_.is_unnamed() : !durable_;
    make_private_directory(instance_.state().parent_path());
    make_private_directory(instance_.state());
    make_private_directory(directory);
    if (unnamed) {
      instance_.mark_unnamed();
    }
  }
}

Awaitable<void> InstanceOwner::shut_down(int server_pid) {
  if (!durable_ && owner_lock_) {
    co_await end_instance(config_, instance_, server_pid);
  } else if (owner_lock_ || joined_) {
    co_await sleep_for(
        Milliseconds(20));  // files of commands that have just ended are still being taken away
  }
  keeper_watch_.stop();
  taking_over_.reset();
  if (joined_) {
    if (Peers(instance_).others().empty()) {
      note_alone(instance_);
    }
    Peers(instance_).leave(std::move(joined_));
  }
  owner_lock_.release();
}

}  // namespace terminally
