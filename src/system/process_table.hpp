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

/// A process, and the marks that tell which tab it belongs to.
struct MarkedProcess {
  ProcessInfo info;
  std::optional<ProcessTag> tag;
  std::string tab_cookie;  ///< as tab_cookie_in
};

/// All processes of the machine, without zombies. Callers that ask at the same time share one look, so fifty
/// cancels cost as much as one. An environment without a mark is read only once. Single-threaded.
class ProcessTable {
 public:
  using Processes = std::vector<MarkedProcess>;

  /// The processes as they were at a moment after the call. Other coroutines run meanwhile.
  [[nodiscard]] boost::asio::awaitable<std::shared_ptr<const Processes>> look();

  /// How often all processes were read.
  [[nodiscard]] std::uint64_t looks() const { return looks_; }

 private:
  [[nodiscard]] boost::asio::awaitable<std::shared_ptr<const Processes>> look_at_all();
  void look_at(int pid, Processes& processes);

  std::shared_ptr<AsyncMutex> turn_ = std::make_shared<AsyncMutex>();
  std::uint64_t asked_ = 0;
  std::uint64_t looks_ = 0;
  std::uint64_t latest_asked_ = 0;  ///< what `asked_` was when the latest look began
  std::shared_ptr<const Processes> latest_;
  /// The start times of processes without a mark, by pid: no process gets a mark later.
  std::unordered_map<int, std::uint64_t> unmarked_;
  std::unordered_map<int, std::uint64_t> still_unmarked_;  ///< the same, from the look under way
};

}  // namespace terminally
