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

/// A call of a tool of another host.
struct FarCall {
  std::string host;
  std::string tool;  ///< its name
  Traits traits = {};
  bool read_only = false;                           ///< may be asked again where the link was lost
  std::shared_ptr<const nlohmann::json> arguments;  ///< as they are meant there; checked there
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

/// Rows as list_tabs of that host returns them, with its name in them, and what is to be said of hosts that
/// did not answer.
struct FarTabs {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  std::vector<std::string> notes;
};

/// Other machines and containers, where this same program runs behind a pipe: what the router forwards to.
/// Ids in what it takes and returns are those of the host, without its name. The far side is not trusted:
/// what it sends is checked for its form, and guarded by the router.
class FarHosts {
 public:
  FarHosts() = default;
  FarHosts(const FarHosts&) = delete;
  FarHosts& operator=(const FarHosts&) = delete;
  virtual ~FarHosts() = default;

  /// Those that a person has allowed, by name.
  [[nodiscard]] virtual std::vector<std::string> names() const = 0;

  /// The result object. Connects first where there is no link. Throws `Error`: what the tool said there, or
  /// what is wrong with the link and what to do.
  [[nodiscard]] virtual boost::asio::awaitable<nlohmann::ordered_json> call(FarCall call) = 0;

  /// Ends the command that a call with this key has begun there, and returns once it is over; at once where
  /// there is none. Throws `Error`.
  [[nodiscard]] virtual boost::asio::awaitable<void> end_command(std::string host, std::string key) = 0;

  /// The tabs of the hosts that are connected.
  [[nodiscard]] virtual boost::asio::awaitable<FarTabs> tabs(Clock::time_point by) = 0;

  /// Connects to all that are not, and returns when that is done, or it is time.
  [[nodiscard]] virtual boost::asio::awaitable<std::vector<FarHostInfo>> look(Clock::time_point by) = 0;

  /// For what takes long of what they send.
  [[nodiscard]] Worker& worker() { return worker_; }

 private:
  Worker worker_;
};

}  // namespace terminally
