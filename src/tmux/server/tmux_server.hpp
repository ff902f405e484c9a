#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/awaitable.hpp"
#include "base/event.hpp"
#include "base/keyed_mutex.hpp"
#include "config.hpp"
#include "system/process_watch.hpp"
#include "tab/tab.hpp"
#include "tmux/server/instance_owner.hpp"
#include "tmux/wire/client.hpp"

namespace terminally {

/// The process of the tmux server of an instance, one at a time: found or started, asked, watched, lost.
/// Knows no tabs: who has them clears up after a lost server, and says so by forget().
class TmuxServer {
 public:
  /// `config` outlives it. `tmux`: how its tmux servers are reached; none: by clients that it spawns.
  TmuxServer(boost::asio::any_io_executor executor, const Config& config,
             std::shared_ptr<TmuxChannel> tmux = nullptr);

  /// Its instance, and whether that is ours.
  [[nodiscard]] InstanceOwner& owner() { return owner_; }
  [[nodiscard]] const Instance& instance() const { return owner_.instance(); }
  /// Of the tmux server, or of the last one; 0: there was none yet.
  [[nodiscard]] std::uint32_t generation() const { return generation_; }
  /// Where the logs of its panes are.
  [[nodiscard]] std::filesystem::path logs() const { return instance().generation(generation_); }
  /// 0: no tmux server that we know of.
  [[nodiscard]] int pid() const { return pid_; }
  /// Returns as soon as there is none that we know of.
  [[nodiscard]] Awaitable<void> gone() { return gone_.wait(); }
  [[nodiscard]] bool alive() const;

  /// Who reaches the tmux server that we know of, or a tab's, and no later one.
  [[nodiscard]] TmuxClient client() const { return client_.of_server(pid_); }
  [[nodiscard]] TmuxClient client_of(const Tab& tab) const { return client_.of_server(tab.server_pid); }

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

  /// Finds the one that an earlier process of ours left. False: there is none, and `generation` is that of
  /// the last one. Throws Error where one listens that cannot be used.
  [[nodiscard]] Awaitable<bool> find();
  /// Has new tabs use our helpers and our options: for the keeper, as the server may be older.
  [[nodiscard]] Awaitable<void> use_our_helpers() const;
  /// What tmux tells of its server: the pid and the generation.
  static constexpr const char* kFormat = "#{pid}\t#{@terminally_generation}";
  /// Starts one, the next generation, for whoever has InstanceOwner::own_to_start. `first_window`: commands
  /// that open its first window and print kFormat; returns what they print behind that. No tab of the server
  /// has a number below `first_id`, or one that any had before.
  [[nodiscard]] Awaitable<std::string> start(std::string first_window, std::uint32_t first_id);

  /// tmux's id of the session that new tabs come into, or came, whatever a person calls it by now; empty:
  /// none is known.
  [[nodiscard]] const std::string& session() const { return *session_; }
  void use_session(std::string session) { *session_ = std::move(session); }

  /// Is called when the tmux server has ended, unless we are a guest: for that the next call will do.
  void on_end(std::function<void()> ended) { ended_ = std::move(ended); }
  /// Back to where it was not found yet.
  void let_go();
  /// There is no tmux server any more.
  void forget();
  /// Ends what must not outlive this process. Within 1.5 s.
  [[nodiscard]] Awaitable<void> shut_down();

 private:
  [[nodiscard]] Awaitable<std::string> ask_who_listens();
  void watch();

  const Config& config_;
  InstanceOwner owner_;
  std::shared_ptr<std::string> session_ = std::make_shared<std::string>();
  TmuxClient client_;
  ProcessWatch watch_;
  std::function<void()> ended_;
  std::uint32_t generation_ = 0;
  int pid_ = 0;
  Event gone_;
};

}  // namespace terminally
