#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>

namespace terminally {

/// What of a log was sent to a page and what the page says that it has drawn: how much may be sent now. Pure.
/// Offsets may jump, where bytes are missing or were skipped; only what was sent counts.
class Flow {
 public:
  /// The most bytes that a page has not acknowledged.
  static constexpr std::uint64_t kWindow = std::uint64_t{256} * 1024;
  static constexpr std::size_t kFrame = std::size_t{64} * 1024;
  /// A page that is further behind skips to the newest kAfterSkip bytes.
  static constexpr std::uint64_t kFarBehind = std::uint64_t{1} << 20U;
  static constexpr std::uint64_t kAfterSkip = std::uint64_t{64} * 1024;

  /// How many bytes the next frame may have; 0: an acknowledgement must come first.
  [[nodiscard]] std::size_t room() const;
  void sent(std::uint64_t from, std::size_t bytes);
  /// All that was sent before this offset. An older acknowledgement changes nothing.
  void acknowledge(std::uint64_t to);
  [[nodiscard]] std::uint64_t in_flight() const { return in_flight_; }

 private:
  /// Bytes that follow each other.
  struct Run {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
  };
  std::deque<Run> runs_;  ///< not acknowledged, ascending
  std::uint64_t in_flight_ = 0;
};

}  // namespace terminally
