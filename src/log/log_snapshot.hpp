#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "base/unique_fd.hpp"
#include "log/log_index.hpp"

namespace terminally {

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
