#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <filesystem>

#include "base/timeout.hpp"
#include "log/pane_log.hpp"

namespace terminally {

/// How long the last output of a closed tab may take to be in the log: the writer may be late.
constexpr Milliseconds kLogEndsWithin{2'000};

/// How long to retry a log that cannot be read: the system may lack descriptors for a moment.
constexpr Milliseconds kLogComesBack{10'000};

/// The process that writes a log: the one that holds the locks on the sidecar. 0: none, -1: nobody knows, or
/// one whose pid cannot be seen (another PID namespace).
[[nodiscard]] int log_writer(const std::filesystem::path& log);

/// Whether a signal has stopped that process: then output is late, not lost.
[[nodiscard]] bool log_writer_is_stopped(const std::filesystem::path& log);

/// Whether the log's writer has recorded that bytes at or after offset `from` are missing.
[[nodiscard]] bool log_has_gap_behind(const std::filesystem::path& log, std::uint64_t from);

/// Returns once the writer of a log has gone, and the log is complete, or at the deadline.
[[nodiscard]] boost::asio::awaitable<void> wait_for_log_end(const PaneLog& log, Clock::time_point deadline);

}  // namespace terminally
