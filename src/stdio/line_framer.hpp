#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "json/envelope.hpp"

namespace terminally {

/// Cuts a byte stream into lines: `\n` ends one, a `\r` before it is dropped, blank lines are skipped.
/// Pure and resumable: any split of the stream gives the same lines. A line over the limit is dropped while
/// it streams in, in constant memory, and shows up as one `too_long` line when it ends, with its Envelope.
class LineFramer {
 public:
  struct Line {
    std::string_view text;  ///< valid until the next call; of a line that is too long: its Envelope
    bool too_long = false;
  };

  explicit LineFramer(std::size_t max_line_bytes = kMaxLineBytes) : max_(max_line_bytes) {}

  /// Call `next` until it returns nullopt before feeding again.
  void feed(std::string_view bytes);
  [[nodiscard]] std::optional<Line> next();

 private:
  void forget_consumed();

  std::size_t max_;
  std::string buffer_;
  std::size_t start_ = 0;    // of the line being read
  std::size_t scanned_ = 0;  // no newline between start_ and here
  bool dropping_ = false;    // inside a line that is too long
  Envelope envelope_;        // of the line that is too long
  std::string dropped_;      // what envelope_ had at the end of that line
};

}  // namespace terminally
