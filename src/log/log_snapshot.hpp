#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/descriptors.hpp"

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

/// A log at one moment: the live segment, open, its size, and the index that fits that size. Older segments
/// are opened when they are read; a segment that is gone is a hole. Throws Error(io).
class LogSnapshot {
 public:
  explicit LogSnapshot(const std::filesystem::path& log_path);

  [[nodiscard]] const LogIndex& index() const { return index_; }

  /// Up to `count` bytes from `position` on, through all segments up to a hole.
  [[nodiscard]] std::string bytes(std::uint64_t position, std::uint64_t count) const;

  /// The first position after the hole that `position` is in.
  [[nodiscard]] std::uint64_t behind_hole(std::uint64_t position) const;

  /// Reads up to `count` bytes that end at `stop` into `to`, fewer where a segment begins. Returns how many;
  /// 0 at the beginning, or after a hole.
  [[nodiscard]] std::size_t read_before(std::uint64_t stop, char* to, std::size_t count) const;

  /// How many of the bytes written between two positions are still in a file.
  [[nodiscard]] std::uint64_t held_bytes(std::uint64_t from, std::uint64_t to) const;

 private:
  [[nodiscard]] bool is_last(const LogIndex::Segment& segment) const;
  [[nodiscard]] UniqueFd open_segment(const LogIndex::Segment& segment) const;
  [[nodiscard]] std::size_t read_in(const LogIndex::Segment& segment, std::uint64_t position, char* to,
                                    std::size_t count) const;
  bool try_to_take();

  std::filesystem::path path_;
  UniqueFd last_;
  LogIndex index_{{}, 0};
};

}  // namespace terminally
