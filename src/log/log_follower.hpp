#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "base/timeout.hpp"
#include "log/pane_log.hpp"
#include "system/log_watch.hpp"

namespace terminally {

/// Which part of a log a reader may have by now. Tells when that part changes.
class LogReach {
 public:
  static constexpr std::uint64_t kNoLimit = UINT64_MAX;

  struct Part {
    std::uint64_t begin = 0;  ///< bytes before it are not for the reader, and not said to be missing
    std::uint64_t end = kNoLimit;
    bool last = false;  ///< the part will not grow any more
  };

  LogReach() = default;
  LogReach(const LogReach&) = delete;
  LogReach& operator=(const LogReach&) = delete;
  virtual ~LogReach() = default;

  [[nodiscard]] virtual Part now() = 0;
  /// Returns when the part may have changed, or at the time; now and then without a change. No change since
  /// the last now() is missed. Throws operation_aborted when cancelled.
  [[nodiscard]] virtual boost::asio::awaitable<void> changed_by(Clock::time_point when) = 0;
  /// Whoever waits in changed_by looks again.
  virtual void wake() = 0;
};

/// All of a log, until its tab is closed.
class WholeLog : public LogReach {
 public:
  /// `closed` is asked before each look, at least twice a second.
  WholeLog(LogWatch::Watch watch, std::function<bool()> closed);

  [[nodiscard]] Part now() override;
  [[nodiscard]] boost::asio::awaitable<void> changed_by(Clock::time_point when) override;
  void wake() override;

 private:
  LogWatch::Watch watch_;
  std::function<bool()> closed_;
};

/// Reads a log on while it is written, at the pace of its reader: what was not asked for yet stays on disk.
/// So a slow reader costs no memory and slows nobody. A slice counts as taken when the next one is asked for,
/// and none is larger than `slice_bytes`. Any number of them follow one log. One call at a time, but for
/// `finish`.
class LogFollower {
 public:
  static constexpr std::size_t kSliceBytes = std::size_t{256} * 1024;

  LogFollower(PaneLog log, std::unique_ptr<LogReach> reach, std::uint64_t from,
              std::size_t slice_bytes = kSliceBytes);

  /// The next bytes, once there are some: what is gone before them is in gap_bytes and gap_unknown; `eof`:
  /// there is no more for now. Nothing: there is no more ever. Others run between two slices.
  /// Throws Error(io) where the log could not be read for 10 s, operation_aborted when cancelled: it may be
  /// asked again.
  [[nodiscard]] boost::asio::awaitable<std::optional<PaneLog::Slice>> next();
  /// The same, until the time has come at the latest: then it is an empty slice. Throws Error(io) at once.
  [[nodiscard]] boost::asio::awaitable<std::optional<PaneLog::Slice>> next_by(Clock::time_point when);

  enum class More { yes, not_yet, never };
  /// Waits as next_by does and reads nothing: for a reader that wants to know of it only.
  [[nodiscard]] boost::asio::awaitable<More> more_by(Clock::time_point when);
  /// Goes on behind what is there now.
  void skip();

  /// Nothing more is waited for: what is there is still read, and then there is no more. Also while another
  /// coroutine waits in `next`.
  void finish();

  /// Offset of the first byte that was not read.
  [[nodiscard]] std::uint64_t offset() const { return position_; }
  /// How many bytes there are that were not read; 0 where nobody can know.
  [[nodiscard]] std::uint64_t unread() noexcept;

 private:
  [[nodiscard]] LogReach::Part part_now();
  [[nodiscard]] PaneLog::Slice read_up_to(std::uint64_t end);

  PaneLog log_;
  std::unique_ptr<LogReach> reach_;
  std::uint64_t position_;
  std::size_t slice_bytes_;
  bool finished_ = false;
  std::optional<std::uint64_t> end_;  ///< where it ends, once it is finished
};

}  // namespace terminally
