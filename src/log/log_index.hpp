#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace terminally {

/// Maps a log's positions to offsets and segments, by the records of the sidecar. Pure. A position counts the
/// bytes that were written, through all segments; an offset counts all bytes of the tab. The index does not
/// know whether a segment's file is still there. doc/pane-log.md, "Offsets" and "The sidecar".
class LogIndex {
 public:
  /// Bytes that follow each other in position and in offset. Never empty.
  struct Run {
    std::uint64_t offset = 0;
    std::uint64_t position = 0;
    std::uint64_t bytes = 0;
    bool unknown_before = false;  ///< an unknown number of bytes is missing just before it
    int error_before = 0;         ///< why bytes are missing there (errno); 0: not known

    [[nodiscard]] std::uint64_t end() const { return offset + bytes; }
  };

  /// The positions of one file, from `position` to `end`.
  struct Segment {
    std::uint64_t first_offset = 0;  ///< names the file once it is rotated
    std::uint64_t position = 0;
    std::uint64_t end = 0;
  };

  /// Output that is not in the log yet, because the log takes nothing.
  struct Waiting {
    std::uint64_t kept = 0;  ///< bytes in the writer's memory, written once the log takes them
    std::uint64_t lost = 0;  ///< bytes dropped after them, so far
    int error = 0;           ///< why the log takes nothing (errno); 0: not known
  };

  /// `last_bytes`: the size of the last segment's file. Without a sidecar (`records` empty) offsets are
  /// positions. Lines that are no record are skipped.
  LogIndex(std::string_view records, std::uint64_t last_bytes);

  /// Never empty, ascending; the last segment is being written.
  [[nodiscard]] const std::vector<Segment>& segments() const { return segments_; }
  [[nodiscard]] std::uint64_t end_position() const { return segments_.back().end; }
  /// The segment with the byte at `position`; the last one beyond the end.
  [[nodiscard]] const Segment& segment_at(std::uint64_t position) const;

  /// Ascending in offset and in position. Between two runs, or between the last and end(), there is a gap.
  [[nodiscard]] const std::vector<Run>& runs() const { return runs_; }

  /// The offset after the last byte logged, a gap at the end included.
  [[nodiscard]] std::uint64_t end() const { return end_; }

  [[nodiscard]] const Waiting& waiting() const { return waiting_; }
  /// The offset after the last byte counted: end() plus the bytes that wait or are lost after it.
  [[nodiscard]] std::uint64_t counted_end() const { return end_ + waiting_.kept + waiting_.lost; }

  /// The first run that ends after `offset`; null when there is none.
  [[nodiscard]] const Run* run_after(std::uint64_t offset) const;

  /// The offset of the byte at `position`; end() for the end.
  [[nodiscard]] std::uint64_t offset_at(std::uint64_t position) const;

 private:
  std::vector<Segment> segments_;
  std::vector<Run> runs_;
  std::uint64_t end_ = 0;
  Waiting waiting_;
};

}  // namespace terminally
