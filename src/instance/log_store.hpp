#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <string>

#include "config.hpp"

namespace terminally {

/// How much time has passed for sure, whatever was done to the clock: the system's own count within one life
/// of the machine, and no more than a day for all the time between two lives in which nobody looked.
struct SureTime {
  std::string boot;          ///< which life of the machine
  std::uint64_t boot_s = 0;  ///< since its begin
  std::uint64_t wall_s = 0;  ///< since the epoch
  std::uint64_t sure_s = 0;  ///< since the first look of all
};

/// `now` without its sure_s, `last` from an earlier look.
[[nodiscard]] SureTime with_sure_time(const SureTime& last, SureTime now);

/// Keeps the logs in the state directory within their limits, once: removes the logs of tabs that have been
/// closed for --log-keep-days; above --log-total-bytes or below --min-free-bytes rotated segments, those of
/// closed tabs first, and above --log-total-bytes whole logs of closed tabs. Never the live segment of a log
/// that has a writer. doc/pane-log.md, "What is removed". A tab counts as closed when its log had no writer
/// at two looks. Throws nothing that concerns a single file.
[[nodiscard]] boost::asio::awaitable<void> sweep_logs(Config config);

}  // namespace terminally
