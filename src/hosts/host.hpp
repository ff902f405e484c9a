#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "base/keyed_mutex.hpp"
#include "base/spawned.hpp"
#include "hosts/far_session.hpp"
#include "hosts/hosts_file.hpp"
#include "hosts/pipe_command.hpp"
#include "toolkit/far_hosts.hpp"

namespace terminally {

/// What a command of people waits for the end of what it began there: a server there takes 2 s at most.
inline constexpr Milliseconds kForGoodbye{2'500};

/// One host: its link, made when it is needed and again when it is needed again, and the calls through it.
/// Held by shared_ptr. What it throws are `Error`s that name what is wrong and what to do.
class Host : public std::enable_shared_from_this<Host> {
 public:
  /// How long a connection may take, start-up files of a shell there included.
  static constexpr Milliseconds kConnectsWithin{15'000};

  /// What must be done before each connection; what it throws is why there is none.
  using Before = std::function<boost::asio::awaitable<void>()>;

  /// `start` without a nonce. `control`: for ssh's kept connection; empty: none.
  Host(boost::asio::any_io_executor executor, HostEntry entry, FarStart start, std::filesystem::path control,
       Before before = {})
      : executor_(std::move(executor)),
        entry_(std::move(entry)),
        start_(std::move(start)),
        control_(std::move(control)),
        before_(std::move(before)) {}

  [[nodiscard]] const HostEntry& entry() const { return entry_; }

  /// What was begun and lost with the link is asked for by its id, nothing that changes something is sent
  /// twice.
  [[nodiscard]] boost::asio::awaitable<nlohmann::ordered_json> call(FarCall call);

  /// Of a call with this key. Throws as `call`.
  [[nodiscard]] boost::asio::awaitable<void> end_command(std::string key);

  /// The session, once there is one. Throws what kept it from coming, or that it is not there by then.
  [[nodiscard]] boost::asio::awaitable<std::shared_ptr<FarSession>> connected(Clock::time_point by);

  [[nodiscard]] bool is_up() const { return session_ && session_->is_up(); }
  /// A tool of its, read-only, on the link that is there. Throws where none is.
  [[nodiscard]] boost::asio::awaitable<nlohmann::ordered_json> ask(std::string tool, Clock::time_point by);
  [[nodiscard]] FarHostInfo info() const;

  [[nodiscard]] boost::asio::awaitable<void> say_goodbye(Clock::time_point by);

 private:
  boost::asio::awaitable<void> attempt();
  boost::asio::awaitable<std::shared_ptr<FarSession>> connect();
  [[nodiscard]] bool has_place_for_control() const;
  struct Found;
  struct Lost {
    std::string why;
    std::string place;  ///< of the records that the call's command would have been in
  };

  boost::asio::awaitable<nlohmann::ordered_json> ask_by_key(std::string method, std::string key,
                                                            Clock::time_point by, Milliseconds within);
  boost::asio::awaitable<void> end_when_back(std::string key);

  boost::asio::awaitable<nlohmann::ordered_json> call_known(FarCall call, Clock::time_point by);
  boost::asio::awaitable<nlohmann::ordered_json> begin(FarCall call, std::string key);
  boost::asio::awaitable<Found> find(std::string key, Clock::time_point by);
  boost::asio::awaitable<FarCall> with_found_command(FarCall call, Clock::time_point by);
  boost::asio::awaitable<nlohmann::ordered_json> recover(FarCall call, std::string key, Lost lost,
                                                         Clock::time_point until);
  boost::asio::awaitable<nlohmann::ordered_json> see_through(FarCall call, Found found,
                                                             Clock::time_point until);
  boost::asio::awaitable<nlohmann::ordered_json> call_tool(std::shared_ptr<FarSession> session, FarCall call,
                                                           std::string key, Clock::time_point by);

  boost::asio::any_io_executor executor_;
  HostEntry entry_;
  FarStart start_;
  std::filesystem::path control_;
  Before before_;
  std::shared_ptr<FarSession> session_;
  Spawned<> attempt_;
  std::shared_ptr<AsyncMutex> arrivals_ =
      std::make_shared<AsyncMutex>();  ///< of the calls that need the link
  std::string error_;                  ///< of the last attempt
};

}  // namespace terminally
