#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/awaitable.hpp"
#include "base/files.hpp"
#include "base/keyed_mutex.hpp"
#include "base/process.hpp"
#include "config.hpp"
#include "instance/instance.hpp"
#include "server/client.hpp"
#include "system/process_watch.hpp"
#include "tab/tab.hpp"

namespace terminally {

/// What a tmux command that makes a window is given.
struct NewWindow {
  Argv words;
  std::vector<std::string> variables;  ///< among the words; a session would keep them for its later windows
};

/// The tmux server of an instance, one at a time: found or started, watched, lost. Holds the lock of the
/// instance. Knows no tabs: who has them clears up after a lost server, and says so by forget().
class TmuxServer {
 public:
  /// `config` outlives it. `tmux`: how its tmux servers are reached; none: by clients that it spawns.
  TmuxServer(boost::asio::any_io_executor executor, const Config& config,
             std::shared_ptr<TmuxChannel> tmux = nullptr);

  [[nodiscard]] const Instance& instance() const { return instance_; }
  /// A named instance, whose server lives on without us.
  [[nodiscard]] bool durable() const { return durable_; }
  /// Of the tmux server, or of the last one; 0: there was none yet.
  [[nodiscard]] std::uint32_t generation() const { return generation_; }
  /// Where the logs of its panes are.
  [[nodiscard]] std::filesystem::path logs() const { return instance_.generation(generation_); }
  /// 0: no tmux server that we know of.
  [[nodiscard]] int pid() const { return pid_; }
  [[nodiscard]] bool alive() const;

  /// Who reaches the tmux server that we know of, or a tab's, and no later one.
  [[nodiscard]] TmuxClient client() const { return client_.of_server(pid_); }
  [[nodiscard]] TmuxClient client_of(const Tab& tab) const { return client_.of_server(tab.server_pid); }
  /// Without a tab: nothing of ours is connected until the next call.
  void let_go_of_server() const { client_.let_go(); }

  /// What is known of why a call has not come to its end.
  [[nodiscard]] std::string what_held_up(Clock::time_point since) const;
  /// No guard: its time was over first. Throws Error(tmux_timeout) where tmux timed out for another
  /// meanwhile.
  [[nodiscard]] Awaitable<AsyncMutex::Guard> turn(std::shared_ptr<AsyncMutex> mutex,
                                                  Clock::time_point give_up_at) const;
  /// Whether it has ended, or does within a moment.
  [[nodiscard]] Awaitable<bool> ends() const;
  /// What the tmux server answers; nullopt when it, or what was asked for, is gone. What says nothing of the
  /// tabs (no answer in time, no descriptor left, a client that was killed) is thrown.
  [[nodiscard]] Awaitable<std::optional<std::string>> answer_unless_gone(Awaitable<std::string> asked) const;

  /// What somebody removed from under a tmux server that lives. While all is there, this costs a look at two
  /// files.
  [[nodiscard]] Awaitable<void> restore_socket();
  void restore_log_directory() const;

  /// Finds the one that an earlier process of ours left. False: there is none, and `generation` is that of
  /// the last one. Throws Error where one listens that cannot be used.
  [[nodiscard]] Awaitable<bool> find();
  /// Makes sure that a server may be started: the instance is ours. Throws Error(not_found) for a guest.
  [[nodiscard]] Awaitable<void> own_to_start();
  /// Starts one, the next generation, with a session of this name; returns the row of its first window. No
  /// tab of it has a number below `first_id`, or one that any had before.
  [[nodiscard]] Awaitable<std::string> start(std::string session, NewWindow window, std::uint32_t first_id);
  /// Opens a session in a tmux server that has just answered and has no session of ours; its window's row.
  [[nodiscard]] Awaitable<std::string> open_session(std::string session, NewWindow window);
  /// Opens a window in the session of the tabs; its row. nullopt: that session is gone, and perhaps the
  /// server.
  [[nodiscard]] Awaitable<std::optional<std::string>> open_window(Argv words);

  /// tmux's id of the session that new tabs come into, or came, whatever a person calls it by now; empty:
  /// none is known.
  [[nodiscard]] const std::string& session() const { return *session_; }
  void use_session(std::string session) { *session_ = std::move(session); }
  /// Where that was just opened by us: see TmuxChannel. Within half a second.
  [[nodiscard]] Awaitable<void> attach() const { return client_.attach(Milliseconds(500)); }

  /// Is called when the tmux server has ended, unless we are a guest: for that the next call will do.
  void on_end(std::function<void()> ended) { ended_ = std::move(ended); }
  /// Is called when the tmux server has told of a change of its windows or sessions: see TmuxChannel.
  void on_news(std::function<void()> told) const { client_.on_news(std::move(told)); }
  /// Back to where it was not found yet.
  void let_go();
  /// There is no tmux server any more.
  void forget();
  /// Ends what must not outlive this process. Within 1.5 s.
  [[nodiscard]] Awaitable<void> shut_down();

 private:
  [[nodiscard]] Awaitable<void> own_instance();
  [[nodiscard]] Awaitable<std::string> ask_who_listens();
  [[nodiscard]] Awaitable<bool> session_has_ended() const;
  void watch();

  boost::asio::any_io_executor executor_;
  const Config& config_;
  bool durable_;
  Instance instance_;
  std::shared_ptr<std::string> session_ = std::make_shared<std::string>();
  TmuxClient client_;
  ProcessWatch watch_;
  std::function<void()> ended_;
  FileLock owner_lock_;
  std::uint32_t generation_ = 0;
  int pid_ = 0;
  std::shared_ptr<AsyncMutex> restoring_socket_ = std::make_shared<AsyncMutex>();
};

}  // namespace terminally
