// Watches directories through one inotify instance, and wakes the coroutines that wait for a file.
#include "system/log_watch.hpp"

#include <sys/inotify.h>

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/system/system_error.hpp>
#include <cerrno>
#include <cstring>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/descriptors.hpp"
#include "base/error.hpp"
#include "base/event.hpp"

namespace terminally {
namespace asio = boost::asio;

namespace {

// Keys in place of a file's name: no file name has a slash.
constexpr const char* kAnyLog = "*.log/";
constexpr const char* kLogEnds = "*.log/ends";

}  // namespace

struct LogWatch::Subscription {
  Subscription(std::shared_ptr<State> owner, int directory_id, std::string file_name,
               std::function<void()> callback = {});
  ~Subscription();
  Subscription(const Subscription&) = delete;
  Subscription& operator=(const Subscription&) = delete;

  std::shared_ptr<State> state;
  int directory;  // inotify's id of the directory
  std::string name;
  std::function<void()> told;  // for watchers that do not wait in changed()
  Event changed;
  bool over = false;  // the LogWatch is gone

  void tell() {
    changed.set();
    if (told) {
      told();
    }
  }
};

/// The inotify instance and its subscriptions. The read under way and the subscriptions keep the state alive.
class LogWatch::State : public std::enable_shared_from_this<State> {
 public:
  State(const asio::any_io_executor& executor, Milliseconds pause)
      : inotify_(executor), pause_(pause), rest_(executor) {}

  int watch_directory(const std::filesystem::path& directory) {
    if (!inotify_.is_open()) {
      UniqueFd fd(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
      if (!fd) {
        throw io_error("cannot open an inotify instance (see fs.inotify.max_user_instances)", errno);
      }
      inotify_.assign(fd.get());
      static_cast<void>(fd.release());
    }
    // The same directory gets the same id again.
    const int id =
        ::inotify_add_watch(inotify_.native_handle(), directory.c_str(),
                            IN_MODIFY | IN_ATTRIB | IN_CREATE | IN_MOVED_TO | IN_CLOSE_WRITE | IN_ONLYDIR);
    if (id < 0) {
      throw io_error("cannot watch the directory " + directory.string(), errno);
    }
    return id;
  }

  void add(Subscription& subscription) {
    directories_[subscription.directory].emplace(subscription.name, &subscription);
    read_events();
  }

  void remove(const Subscription& subscription) {
    const auto directory = directories_.find(subscription.directory);
    if (directory == directories_.end()) {
      return;
    }
    const auto [first, last] = directory->second.equal_range(subscription.name);
    for (auto it = first; it != last; ++it) {
      if (it->second == &subscription) {
        directory->second.erase(it);
        break;
      }
    }
    if (directory->second.empty()) {
      ::inotify_rm_watch(inotify_.native_handle(), directory->first);
      directories_.erase(directory);
    }
    if (directories_.empty()) {
      inotify_.cancel();  // a read under way would keep the event loop running
    }
  }

  void close() {
    for (auto& [id, files] : std::exchange(directories_, {})) {
      for (auto& [name, subscription] : files) {
        subscription->over = true;
        subscription->changed.set();
      }
    }
    inotify_.close();
  }

 private:
  using Files = std::unordered_multimap<std::string, Subscription*>;

  void read_events() {
    if (reading_ || directories_.empty()) {
      return;
    }
    reading_ = true;
    inotify_.async_read_some(asio::buffer(events_), [self = shared_from_this()](
                                                        boost::system::error_code error, std::size_t count) {
      self->reading_ = false;
      if (!error) {
        self->dispatch({self->events_.data(), count});
        if (self->pause_ > Milliseconds(0)) {
          self->rest();
          return;
        }
      }
      if (!error || error == asio::error::operation_aborted) {  // after a cancel there may be new watches
        self->read_events();
      }
    });
  }

  void rest() {
    reading_ = true;
    rest_.expires_after(pause_);
    rest_.async_wait([self = shared_from_this()](boost::system::error_code) {
      self->reading_ = false;
      self->read_events();
    });
  }

  void dispatch(std::string_view events) {
    while (events.size() >= sizeof(inotify_event)) {
      inotify_event event{};
      std::memcpy(&event, events.data(), sizeof event);
      const char* name = events.data() + sizeof event;
      events.remove_prefix(sizeof event + event.len);
      if ((event.mask & IN_Q_OVERFLOW) != 0) {
        wake_all();
      } else if (event.len > 0) {
        if ((event.mask & ~std::uint32_t{IN_CLOSE_WRITE}) != 0) {
          wake(event.wd, name);
        }
        if (std::string_view(name).ends_with(".log")) {
          wake(event.wd, kAnyLog);
        }
        if (std::string_view(name).ends_with(".log") && (event.mask & IN_MODIFY) == 0) {
          wake(event.wd, kLogEnds);
        }
      }
    }
  }

  void wake(int id, const std::string& name) {
    const auto directory = directories_.find(id);
    if (directory == directories_.end()) {
      return;
    }
    const auto [first, last] = directory->second.equal_range(name);
    for (auto it = first; it != last; ++it) {
      it->second->tell();
    }
  }

  void wake_all() {
    for (auto& [id, files] : directories_) {
      for (auto& [name, subscription] : files) {
        subscription->tell();
      }
    }
  }

  asio::posix::stream_descriptor inotify_;
  std::unordered_map<int, Files> directories_;
  Milliseconds pause_;
  asio::steady_timer rest_;
  bool reading_ = false;
  std::array<char, 16'384> events_{};
};

LogWatch::Subscription::Subscription(std::shared_ptr<State> owner, int directory_id, std::string file_name,
                                     std::function<void()> callback)
    : state(std::move(owner)),
      directory(directory_id),
      name(std::move(file_name)),
      told(std::move(callback)) {
  state->add(*this);
}

LogWatch::Subscription::~Subscription() {
  state->remove(*this);
}

LogWatch::LogWatch(const asio::any_io_executor& executor, Milliseconds pause)
    : state_(std::make_shared<State>(executor, pause)) {}
LogWatch::~LogWatch() {
  state_->close();
}

LogWatch::Watch LogWatch::watch(const std::filesystem::path& path) {
  const std::filesystem::path directory = path.has_parent_path() ? path.parent_path() : ".";
  const int id = state_->watch_directory(directory);
  return Watch(std::make_unique<Subscription>(state_, id, path.filename().string()));
}

LogWatch::Watch LogWatch::watch_logs(const std::filesystem::path& directory, LogEvents events,
                                     std::function<void()> told) {
  const int id = state_->watch_directory(directory);
  return Watch(std::make_unique<Subscription>(state_, id, events == LogEvents::all ? kAnyLog : kLogEnds,
                                              std::move(told)));
}

LogWatch::Watch::Watch(std::unique_ptr<Subscription> subscription) : subscription_(std::move(subscription)) {}
LogWatch::Watch::~Watch() = default;
LogWatch::Watch::Watch(Watch&&) noexcept = default;
LogWatch::Watch& LogWatch::Watch::operator=(Watch&&) noexcept = default;

asio::awaitable<void> LogWatch::Watch::changed() {
  [[maybe_unused]] const bool news = co_await changed_by(Clock::time_point::max());
}

asio::awaitable<bool> LogWatch::Watch::changed_by(Clock::time_point when) {
  Subscription& subscription = *subscription_;
  bool changed = false;
  if (!subscription.over) {
    changed = co_await subscription.changed.wait_by(when);
  }
  if (subscription.over) {
    throw boost::system::system_error(asio::error::operation_aborted);
  }
  subscription.changed.clear();
  co_return changed;
}

void LogWatch::Watch::wake() {
  subscription_->changed.set();
}

}  // namespace terminally
