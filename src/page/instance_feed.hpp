#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/background.hpp"
#include "base/event.hpp"
#include "config.hpp"
#include "instance/instance.hpp"
#include "page/tab_board.hpp"
#include "system/log_watch.hpp"
#include "tmux/manager.hpp"

namespace terminally {

/// One instance for all pages that look at it: its tabs, and who acts there. It works beside the servers of
/// the instance as a guest, and looks only while somebody does (`Look`).
class InstanceFeed : public std::enable_shared_from_this<InstanceFeed> {
 public:
  /// `config` is that of the process. Throws Error(invalid_argument) for what is no name of an instance.
  InstanceFeed(boost::asio::any_io_executor executor, Config config, const std::string& name);

  /// One page that looks.
  class Look {
   public:
    explicit Look(std::shared_ptr<InstanceFeed> feed);
    ~Look();
    Look(Look&&) noexcept = default;
    Look& operator=(Look&& other) noexcept {
      std::swap(feed_, other.feed_);
      return *this;
    }
    Look(const Look&) = delete;
    Look& operator=(const Look&) = delete;
    InstanceFeed* operator->() const { return feed_.get(); }
    InstanceFeed& operator*() const { return *feed_; }

   private:
    std::shared_ptr<InstanceFeed> feed_;
  };

  [[nodiscard]] const Instance& instance() const { return instance_; }
  [[nodiscard]] const Config& config() const { return config_; }
  [[nodiscard]] TabBoard& board() { return board_; }
  [[nodiscard]] LogWatch& log_watch() { return log_watch_; }
  /// Acts for pages. Another one, once the instance has another tmux server.
  [[nodiscard]] TmuxManager& manager() { return *guests_.back().manager; }

  /// Returns once the tabs have been seen for the first time. For who looks.
  [[nodiscard]] Awaitable<void> seen();
  /// Whether the board is kept as the tabs are.
  [[nodiscard]] bool sees() const { return lookers_ > 0 && first_look_.is_set(); }
  /// Does something that outlives the request for it. `work` keeps the feed.
  void do_apart(Awaitable<void> work);
  /// Whether nobody looks, and nothing of it goes on: it may be destroyed.
  [[nodiscard]] bool is_idle() const { return lookers_ == 0 && !looks_ && !calls_left_; }

 private:
  static Awaitable<void> look_on(std::shared_ptr<InstanceFeed> self);
  Awaitable<void> watch_records(LogWatch::Watch records, WindowId window);
  Awaitable<void> look();
  void take(std::vector<TabInfo> open);
  void close_all_but(const std::set<WindowId>& there);
  void find_closed();
  void follow_server();

  boost::asio::any_io_executor executor_;
  Config config_;
  Instance instance_;
  LogWatch log_watch_;
  struct Guest {
    std::unique_ptr<TmuxManager> manager;
    int server_pid = 0;  ///< the tmux server that it was made for; 0: the one that it finds
  };
  std::vector<Guest> guests_;  ///< the last is in use; calls of those before it may be under way
  TabBoard board_;
  std::map<WindowId, Background> watched_records_;
  Event first_look_;
  bool is_new_look_ = true;  ///< nobody looked before: what was closed meanwhile is not known
  int lookers_ = 0;
  bool looks_ = false;
  bool calls_left_ = false;  ///< a call was out of time, and may go on
};

}  // namespace terminally
