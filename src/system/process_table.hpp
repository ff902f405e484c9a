#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/keyed_mutex.hpp"
#include "system/proc.hpp"
#include "system/signals.hpp"

namespace terminally {

/// A process, and what says which tab it belongs to.
struct MarkedProcess {
  ProcessInfo info;
  std::optional<ProcessTag> tag;
  std::string tab_cookie;  ///< "TERMINALLY_TAB=…" of its environment; empty: it has none
};

/// All processes of the machine, zombies left out. However many ask at the same time, they share one look:
/// what fifty cancels cost is what one does. Other people's processes are read through once. Single-threaded.
class ProcessTable {
 public:
  using Processes = std::vector<MarkedProcess>;

  /// As they were at a moment after the call. Lets others run meanwhile.
  [[nodiscard]] boost::asio::awaitable<std::shared_ptr<const Processes>> look();

  /// How often all processes were gone through.
  [[nodiscard]] std::uint64_t looks() const { return looks_; }

 private:
  [[nodiscard]] boost::asio::awaitable<std::shared_ptr<const Processes>> look_at_all();
  void look_at(int pid, Processes& processes);

  std::shared_ptr<AsyncMutex> turn_ = std::make_shared<AsyncMutex>();
  std::uint64_t asked_ = 0;
  std::uint64_t looks_ = 0;
  std::uint64_t latest_asked_ = 0;  ///< what `asked_` was when the latest look began
  std::shared_ptr<const Processes> latest_;
  /// Those without a mark, by pid, and when they began: no process gets a mark later.
  std::unordered_map<int, std::uint64_t> unmarked_;
  std::unordered_map<int, std::uint64_t> still_unmarked_;  ///< found so by the look that is under way
};

}  // namespace terminally
