// Owns the instance of this process, and makes again what somebody removed from under its tmux server.
#include "tmux/wire/instance_owner.hpp"

#include <signal.h>

#include <boost/asio.hpp>

#include "base/error.hpp"
#include "instance/left_behind.hpp"
#include "system/proc.hpp"
#include "system/signals.hpp"
#include "tmux/wire/instance_end.hpp"

namespace terminally {
namespace {

namespace asio = boost::asio;

constexpr Milliseconds kCleanedWithin{3'000};
/// How long a server that is leaving is waited for: it is gone 2 s after the end of its stdin.
constexpr Milliseconds kOwnerLeavesWithin{2'000};
constexpr Milliseconds kMadeAgainWithin{2'000};

}  // namespace

InstanceOwner::InstanceOwner(boost::asio::any_io_executor executor, const Config& config)
    : executor_(std::move(executor)),
      config_(config),
      durable_(!config_.instance.empty()),
      instance_(config_, durable_ ? config_.instance : fresh_instance_name()) {}

/// What cleans it just now (`instances clean`) is gone in a moment, and so may be the server whose client has
/// just started us in its place.
Awaitable<void> InstanceOwner::own_instance() {
  const auto begin = Clock::now();
  if (owner_lock_.is_unlinked()) {
    owner_lock_.release();
  }
  while (!owner_lock_) {
    try {
      owner_lock_ = instance_.own();
    } catch (const Error& error) {
      const auto patience = instance_.is_being_cleaned() ? kCleanedWithin : kOwnerLeavesWithin;
      if (error.code() != ErrorCode::busy || Clock::now() - begin >= patience) {
        throw;
      }
    }
    if (!owner_lock_) {
      co_await sleep_for(Milliseconds(20));
    }
  }
  if (config_.temporary) {
    mark_temporary(instance_);
  }
}

Awaitable<void> InstanceOwner::own_to_find() {
  if (!owner_lock_ && !config_.guest) {
    co_await own_instance();
  }
}

Awaitable<void> InstanceOwner::own_to_start() {
  if (config_.guest) {
    throw Error(ErrorCode::not_found,
                "instance \"" + instance_.name() +
                    "\" has no tmux server any more; its own terminally-mcp starts it anew");
  }
  if (!owns()) {
    co_await own_instance();
    if (!durable_) {
      instance_.mark_unnamed();
    }
    asio::co_spawn(executor_, end_abandoned_instances(config_, instance_.name()), asio::detached);
  }
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
  if (!config_.guest && !owns()) {
    owner_lock_ = instance_.own();  // it went with the directory
    if (!durable_) {
      instance_.mark_unnamed();
    }
    if (config_.temporary) {
      mark_temporary(instance_);
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
  } else if (owner_lock_) {
    co_await sleep_for(
        Milliseconds(20));  // files of commands that have just ended are still being taken away
  }
  owner_lock_.release();
}

}  // namespace terminally
