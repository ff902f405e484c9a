#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <filesystem>

#include "base/timeout.hpp"
#include "log/pane_log.hpp"

namespace terminally {

/// How long what a closed tab printed last may be on its way into the log: its writer may be late.
constexpr Milliseconds kLogEndsWithin{2'000};

/// How long a log that cannot be read may come back: nobody has a descriptor left, for a moment.
constexpr Milliseconds kLogComesBack{10'000};

/// The process that writes a log: it holds the locks on the log's sidecar. 0: nobody, -1: somebody whose
/// number cannot be seen (another PID namespace).
[[nodiscard]] int log_writer(const std::filesystem::path& log);

/// Whether that process is stopped by a signal: then what was printed is late, not lost.
[[nodiscard]] bool log_writer_is_stopped(const std::filesystem::path& log);

/// Whether the log's writer has said that bytes are missing behind offset `from`.
[[nodiscard]] bool log_has_gap_behind(const std::filesystem::path& log, std::uint64_t from);

/// Returns once the writer of a log has gone: then the log is complete. Or at the deadline.
[[nodiscard]] boost::asio::awaitable<void> wait_for_log_end(const PaneLog& log, Clock::time_point deadline);

}  // namespace terminally
