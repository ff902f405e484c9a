// Tells the keeper of an instance when there is something to do for all its servers.
#include "tmux/server/keeper.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/timeout.hpp"
#include "instance/peers.hpp"
#include "system/proc.hpp"

namespace terminally {
namespace {

/// News come in several: a window that is opened is told of, and then its name.
constexpr Milliseconds kSettles{20};

}  // namespace

Keeper::Keeper(boost::asio::any_io_executor executor, InstanceOwner& owner, LogWatch& log_watch,
               std::shared_ptr<Event> tabs, Duties duties)
    : executor_(std::move(executor)),
      owner_(owner),
      log_watch_(log_watch),
      tabs_(std::move(tabs)),
      duties_(std::move(duties)) {
  owner_.on_keeping([this] {
    fresh_ = true;
    wake();
  });
}

void Keeper::wake() {
  if (!owner_.durable() || !owner_.keeps()) {
    return;
  }
  if (!keeping_ || keeping_->over()) {
    keeping_.emplace(executor_, keep());
    hearing_.emplace(executor_, hear_of_tabs());
  } else if (due_) {
    due_->wake();
  }
}

void Keeper::stop() {
  keeping_.reset();
  hearing_.reset();
  others_.clear();
}

/// Ends where the directory is gone, until it is woken again.
Awaitable<void> Keeper::keep() {
  for (;;) {
    due_.emplace(log_watch_.watch(Peers(owner_.instance()).news()));
    watch_others();
    try {
      co_await duties_(std::exchange(fresh_, false));
    } catch (const Error&) {  // NOLINT(bugprone-empty-catch): see Duties
    }
    co_await due_->changed();
    co_await sleep_for(kSettles);
  }
}

/// It watches what is there of the path to the socket.
Awaitable<void> Keeper::wait_for_tmux() const {
  const std::filesystem::path socket = owner_.instance().socket();
  while (!owner_.instance().server_lives()) {
    std::filesystem::path missing = socket;
    while (is_gone(missing.parent_path())) {
      missing = missing.parent_path();
    }
    LogWatch::Watch made = log_watch_.watch(missing);
    if (is_gone(missing) || missing == socket) {
      co_await made.changed();
      co_await sleep_for(kSettles);  // it is there before anybody listens
    }
  }
}

Awaitable<void> Keeper::hear_of_tabs() {
  for (;;) {
    co_await tabs_->wait();
    tabs_->clear();
    wake();
  }
}

/// Of those that it could not watch, for want of a descriptor, the next news make it look again.
void Keeper::watch_others() {
  const std::vector<int> pids = Peers(owner_.instance()).others();
  std::erase_if(others_, [](const auto& other) { return !is_alive(other.first); });
  for (const int pid : pids) {
    std::unique_ptr<ProcessWatch>& watch = others_[pid];
    if (!watch) {
      watch = std::make_unique<ProcessWatch>(executor_);
      if (!watch->start(pid, [this] { wake(); })) {
        watch.reset();
      }
    }
  }
}

}  // namespace terminally
