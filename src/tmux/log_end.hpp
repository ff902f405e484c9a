#pragma once

#include <boost/asio/awaitable.hpp>

#include "base/timeout.hpp"
#include "tmux/pane_log.hpp"

namespace terminally {

/// Returns once the writer of a log has gone (its sidecar's lock is free): then the log is complete. Or at
/// the deadline.
[[nodiscard]] boost::asio::awaitable<void> wait_for_log_end(const PaneLog& log, Clock::time_point deadline);

}  // namespace terminally
