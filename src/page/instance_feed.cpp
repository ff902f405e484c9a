#include "page/instance_feed.hpp"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <utility>

#include "base/error.hpp"
#include "base/files.hpp"
#include "instance/tab_ids.hpp"

namespace terminally {
namespace {

/// How often tabs are looked at while somebody looks on: less often where nothing has changed for a while.
/// Output and commands are watched and do not wait for that.
constexpr Milliseconds kLookEvery{250};
constexpr Milliseconds kLookAtStill{500};
/// Frames go out each 16 ms, so a log that is written thousands of times a second need not wake us as often.
constexpr Milliseconds kBetweenEvents{5};

Config guest_in(Config config, const std::string& name) {
  config.instance = name;
  config.guest = true;
  config.stays = true;
  return config;
}

/// The logs of tabs in one generation, the newest first.
std::vector<std::pair<std::int64_t, WindowId>> logs_in(const std::filesystem::path& generation) {
  std::vector<std::pair<std::int64_t, WindowId>> logs;
  for (const std::filesystem::path& path : entries_of(generation)) {
    const std::string name = path.filename().string();
    constexpr std::string_view kBefore = "pane-";
    if (name.starts_with(kBefore) && name.ends_with(".log")) {
      const auto tag = std::string_view(name).substr(kBefore.size(), name.size() - kBefore.size() - 4);
      if (const auto window = parse_window_id(tag)) {
        logs.emplace_back(modified_ms(path), *window);
      }
    }
  }
  std::ranges::sort(logs, std::greater());
  return logs;
}

}  // namespace

InstanceFeed::InstanceFeed(boost::asio::any_io_executor executor, Config config, const std::string& name)
    : executor_(std::move(executor)),
      config_(guest_in(std::move(config), name)),
      instance_(config_, name),
      log_watch_(executor_, kBetweenEvents) {
  guests_.push_back({std::make_unique<TmuxManager>(executor_, config_), 0});
}

InstanceFeed::Look::Look(std::shared_ptr<InstanceFeed> feed) : feed_(std::move(feed)) {
  ++feed_->lookers_;
  if (!std::exchange(feed_->looks_, true)) {
    feed_->first_look_.clear();  // what was seen before may be of yesterday
    boost::asio::co_spawn(feed_->executor_, look_on(feed_), boost::asio::detached);
  }
}

InstanceFeed::Look::~Look() {
  if (feed_) {
    --feed_->lookers_;
  }
}

void InstanceFeed::do_apart(Awaitable<void> work) {
  boost::asio::co_spawn(executor_, std::move(work), boost::asio::detached);
}

Awaitable<void> InstanceFeed::seen() {
  return first_look_.wait();
}

Awaitable<void> InstanceFeed::look_on(std::shared_ptr<InstanceFeed> self) {
  Clock::time_point changed = Clock::now();
  self->is_new_look_ = true;
  while (self->lookers_ > 0) {
    const std::uint64_t version = self->board_.version();
    try {
      co_await self->look();
    } catch (const Error& error) {  // tmux does not answer, or is gone
      self->calls_left_ = self->calls_left_ || error.code() == ErrorCode::tmux_timeout;
    }
    if (self->watched_records_.empty()) {
      self->follow_server();
    }
    self->first_look_.set();
    if (self->board_.version() != version) {
      changed = Clock::now();
    }
    co_await sleep_for(pause_after(Clock::now() - changed, kLookEvery, kLookAtStill));
  }
  self->watched_records_.clear();
  self->looks_ = false;
  co_await self->manager().shut_down();  // its client at tmux goes; a guest ends nothing
}

/// A guest keeps to the tmux server that it found first. Without tabs there may be another by now.
void InstanceFeed::follow_server() {
  const int pid = instance_.server_listens() ? instance_.server_pid() : 0;
  if (pid != 0 && pid != guests_.back().server_pid) {
    guests_.push_back({std::make_unique<TmuxManager>(executor_, config_), pid});
  }
}

Awaitable<void> InstanceFeed::look() {
  TabCalls& calls = manager().tabs();
  std::vector<TabInfo> open = co_await calls.list();
  take(std::move(open));
  if (is_new_look_) {
    find_closed();
  }
  is_new_look_ = false;
  board_.tick();
}

void InstanceFeed::take(std::vector<TabInfo> open) {
  std::set<WindowId> there;
  for (TabInfo& info : open) {
    const WindowId window = info.window_id;
    const auto face = manager().tabs().face(window, board_.input_of(window).get());
    if (!face) {
      continue;
    }
    there.insert(window);
    const std::filesystem::path log = info.log_path;
    board_.take_open(std::move(info), *face, hold_of(instance_.runtime(), window));
    if (!watched_records_.contains(window)) {
      LogWatch::Watch records = log_watch_.watch(records_beside(PaneLog(log)));
      watched_records_.emplace(window, Background(executor_, watch_records(std::move(records), window)));
    }
  }
  close_all_but(there);
}

void InstanceFeed::close_all_but(const std::set<WindowId>& there) {
  std::vector<WindowId> gone;
  for (const auto& [window, tab] : board_.tabs()) {
    if (!tab.is_closed() && !there.contains(window)) {
      gone.push_back(window);
    }
  }
  for (const WindowId window : gone) {
    watched_records_.erase(window);
    board_.close(window, is_new_look_ ? modified_ms(board_.tab(window).log.path()) : wall_clock_ms());
  }
}

Awaitable<void> InstanceFeed::watch_records(LogWatch::Watch records, WindowId window) {
  for (;;) {
    co_await records.changed();
    board_.read_records(window);
  }
}

void InstanceFeed::find_closed() {
  std::size_t most = TabBoard::kMostClosed;
  for (const std::uint32_t generation : generations(instance_)) {
    const std::filesystem::path directory = instance_.generation(generation);
    for (const auto& [changed, window] : logs_in(directory)) {
      if (most == 0) {
        return;
      }
      board_.add_closed(window, log_path(directory, to_string(window)));
      --most;
    }
  }
}

}  // namespace terminally
