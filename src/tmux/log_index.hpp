#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace terminally {

/// Where the bytes of a log file lie among all bytes logged for the tab, from the records of the sidecar.
/// Pure. doc/pane-log.md, "Offsets" and "The sidecar".
class LogIndex {
 public:
  /// Bytes that follow each other in the file and in offsets. Never empty.
  struct Run {
    std::uint64_t offset = 0;
    std::uint64_t position = 0;
    std::uint64_t bytes = 0;
    bool unknown_before = false;  ///< an unknown number of bytes is missing just before it

    [[nodiscard]] std::uint64_t end() const { return offset + bytes; }
  };

  /// Without a sidecar (`records` empty) offsets are positions. Lines that are no record are passed over.
  LogIndex(std::string_view records, std::uint64_t file_bytes);

  /// Ascending in offset and in position; what lies between two of them, or between the last and end(), is a
  /// gap.
  [[nodiscard]] const std::vector<Run>& runs() const { return runs_; }

  /// The offset after the last byte logged, a gap at the end included.
  [[nodiscard]] std::uint64_t end() const { return end_; }

  /// The first run that ends after `offset`; null when there is none.
  [[nodiscard]] const Run* run_after(std::uint64_t offset) const;

  /// The offset of the byte at `position` of the file; end() for the end of the file.
  [[nodiscard]] std::uint64_t offset_at(std::uint64_t position) const;

 private:
  std::vector<Run> runs_;
  std::uint64_t end_ = 0;
};

}  // namespace terminally
