// What somebody removed from under a tmux server that lives: its socket (cleaners of /tmp do), the directory
// of its logs.

#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/asio.hpp>
#include <cerrno>

#include "base/error.hpp"
#include "base/files.hpp"
#include "server/tmux_server.hpp"
#include "system/proc.hpp"
#include "system/signals.hpp"

namespace terminally {
namespace {

constexpr Milliseconds kMadeAgainWithin{2'000};

}  // namespace

/// tmux makes its socket again at SIGUSR1. Without it nobody could reach the tabs, and the next server would
/// take them for leftovers. While all is there, this costs a look at two files.
Awaitable<void> TmuxServer::restore_socket() {
  if (!is_gone(instance_.socket()) && !owner_lock_.lost_its_name()) {
    co_return;
  }
  const auto patience = Clock::now() + kMadeAgainWithin;
  const AsyncMutex::Turn turn = co_await restoring_socket_->lock_by(patience);
  const int pid = pid_ != 0 ? pid_ : instance_.server_without_socket();
  if (pid == 0 || !is_alive(pid)) {
    co_return;
  }
  if (!config_.guest && (!owner_lock_ || owner_lock_.lost_its_name())) {
    owner_lock_ = instance_.own();  // it went with the directory
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

/// The directory of the logs. A writer makes it again with its next byte, but a command is recorded, and its
/// log watched, before there is one.
void TmuxServer::restore_log_directory() const {
  const std::filesystem::path directory = instance_.generation(generation_);
  if (generation_ != 0 && is_gone(directory)) {
    const bool unnamed = config_.guest ? instance_.is_unnamed() : !durable_;
    make_private_directory(instance_.state().parent_path());
    make_private_directory(instance_.state());
    make_private_directory(directory);
    if (unnamed) {
      instance_.mark_unnamed();
    }
  }
}

}  // namespace terminally
