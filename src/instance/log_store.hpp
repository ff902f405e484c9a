#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <string>

#include "config.hpp"

namespace terminally {

/// How much time has passed for sure, however the clock was set: within one boot, the kernel's count; across
/// a reboot, what the clock says but at most a day.
struct SureTime {
  std::string boot;          ///< the kernel's boot_id
  std::uint64_t boot_s = 0;  ///< since the boot
  std::uint64_t wall_s = 0;  ///< since the epoch
  std::uint64_t sure_s = 0;  ///< since the first sweep
};

/// Computes the sure_s of `now` from the `last` sweep's.
[[nodiscard]] SureTime with_sure_time(const SureTime& last, SureTime now);

/// Sweeps the logs in the state directory once: removes the logs of tabs that have been closed for
/// --log-keep-days; above --log-total-bytes or below --min-free-bytes rotated segments, those of closed tabs
/// first; above --log-total-bytes also whole logs of closed tabs. Never removes the live segment of a log
/// that has a writer. A tab counts as closed when its log had no writer at two sweeps. Errors of single files
/// are ignored. doc/pane-log.md, "What is removed".
[[nodiscard]] boost::asio::awaitable<void> sweep_logs(Config config);

}  // namespace terminally
