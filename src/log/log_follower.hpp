#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "base/timeout.hpp"
#include "log/log_end.hpp"
#include "log/pane_log.hpp"
#include "system/log_watch.hpp"

namespace terminally {

/// Which part of a log a reader may have by now, and when that part changes.
class ReadableRange {
 public:
  static constexpr std::uint64_t kNoLimit = UINT64_MAX;

  struct Part {
    std::uint64_t begin = 0;  ///< bytes before it are not for the reader, and not reported as missing
    std::uint64_t end = kNoLimit;
    bool last = false;  ///< the part will not grow any more
  };

  ReadableRange() = default;
  ReadableRange(const ReadableRange&) = delete;
  ReadableRange& operator=(const ReadableRange&) = delete;
  virtual ~ReadableRange() = default;

  [[nodiscard]] virtual Part now() = 0;
  /// Returns when the part may have changed, at `when` at the latest, and sometimes without a change. Misses
  /// no change since the last now(). Throws operation_aborted when cancelled.
  [[nodiscard]] virtual boost::asio::awaitable<void> changed_by(Clock::time_point when) = 0;
  /// Makes changed_by return.
  virtual void wake() = 0;
};

/// All of a log, until its tab is closed.
class WholeLog : public ReadableRange {
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

/// Follows a log while it is written, at the pace of the reader: bytes not asked for yet stay on disk, so a
/// slow reader costs no memory and slows no other. A slice has at most `slice_bytes`, and counts as taken
/// when the next one is asked for. Any number of followers may read one log. One call at a time, but for
/// `finish`.
class LogFollower {
 public:
  static constexpr std::size_t kSliceBytes = std::size_t{256} * 1024;

  LogFollower(PaneLog log, std::unique_ptr<ReadableRange> reach, std::uint64_t from,
              std::size_t slice_bytes = kSliceBytes);

  /// The next bytes, once there are some; gap_bytes and gap_unknown tell what is gone before them, `eof` that
  /// there are no more for now. Nothing: the log has ended. Other coroutines run between two slices. Throws
  /// Error(io) where the log could not be read for that long, and operation_aborted when cancelled; both
  /// times `next` may be called again.
  [[nodiscard]] boost::asio::awaitable<std::optional<PaneLog::Slice>> next(
      Milliseconds patience = kLogComesBack);
  /// As `next`, but returns an empty slice at `when`. Throws Error(io) at once.
  [[nodiscard]] boost::asio::awaitable<std::optional<PaneLog::Slice>> next_by(Clock::time_point when);

  enum class More { yes, not_yet, never };
  /// Waits as next_by does, but reads nothing.
  [[nodiscard]] boost::asio::awaitable<More> more_by(Clock::time_point when);
  /// Skips all bytes that are there now.
  void skip();

  /// Ends the log for this follower: bytes that are there are still read, later ones are not. May be called
  /// while another coroutine waits in `next`.
  void finish();

  /// Offset of the first byte that was not read.
  [[nodiscard]] std::uint64_t offset() const { return position_; }
  /// How many bytes were not read yet; 0 where that cannot be known.
  [[nodiscard]] std::uint64_t unread() noexcept;

 private:
  [[nodiscard]] ReadableRange::Part part_now();
  [[nodiscard]] PaneLog::Slice read_up_to(std::uint64_t end);

  PaneLog log_;
  std::unique_ptr<ReadableRange> reach_;
  std::uint64_t position_;
  std::size_t slice_bytes_;
  bool finished_ = false;
  std::optional<std::uint64_t> end_;  ///< where the log ends, once finished
};

}  // namespace terminally
