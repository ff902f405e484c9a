#pragma once

#include <array>
#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/timeout.hpp"
#include "base/worker.hpp"
#include "toolkit/tool.hpp"

namespace terminally {

/// A call of a tool on a host.
struct FarCall {
  std::string host;
  std::string tool;  ///< its name
  Traits traits = {};
  bool read_only = false;                           ///< may be repeated where the link was lost
  std::shared_ptr<const nlohmann::json> arguments;  ///< as the host names things; the host checks them
  Caller caller;
};

struct FarHostInfo {
  std::string name;
  std::string_view state;  ///< one of kFarHostStates
  std::optional<std::int64_t> rtt_ms;
  std::string version;
  std::optional<std::int64_t> tabs;
  std::string error;
};

inline constexpr std::array<std::string_view, 4> kFarHostStates = {"idle", "connecting", "up", "down"};

/// Rows of the hosts' list_tabs, with the host's name in each, and notes on hosts that did not answer.
struct FarTabs {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  std::vector<std::string> notes;
};

/// The machines and containers that the router forwards calls to, where this same program runs behind a pipe.
/// `call` takes and returns ids as the host names them, without its name. The far side is not trusted:
/// implementations check the form of what it sends, and the router masks it.
class FarHosts {
 public:
  FarHosts() = default;
  FarHosts(const FarHosts&) = delete;
  FarHosts& operator=(const FarHosts&) = delete;
  virtual ~FarHosts() = default;

  /// The names of the hosts that a person has allowed.
  [[nodiscard]] virtual std::vector<std::string> names() const = 0;

  /// Returns the result object. Connects first where there is no link. Throws the `Error` of the tool there,
  /// or one that says what is wrong with the link and what to do.
  [[nodiscard]] virtual boost::asio::awaitable<nlohmann::ordered_json> call(FarCall call) = 0;

  /// Ends the command that a call with this key began there, and returns once it is over, or at once where
  /// there is no such command. Throws `Error`.
  [[nodiscard]] virtual boost::asio::awaitable<void> end_command(std::string host, std::string key) = 0;

  /// The tabs of the hosts that are connected.
  [[nodiscard]] virtual boost::asio::awaitable<FarTabs> tabs(Clock::time_point by) = 0;

  /// Connects to all hosts, and returns their state when that is done, or at `by`.
  [[nodiscard]] virtual boost::asio::awaitable<std::vector<FarHostInfo>> look(Clock::time_point by) = 0;

  /// A thread for long work on the hosts' results.
  [[nodiscard]] Worker& worker() { return worker_; }

 private:
  Worker worker_;
};

}  // namespace terminally
