#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace terminally {

/// Reads the log of one tab, through all its segments, while the log is being written and rotated: raw bytes
/// as the pane's terminal got them, lines ended by "\r\n" as a rule. Format and reading rules:
/// doc/pane-log.md. All offsets and counts are in bytes.
///
/// Holds no descriptors and no state but the path: each call sees the log as it is then, and costs by what it
/// returns, not by the log's length. A log that does not exist yet reads as empty; any other failed read
/// throws Error(io). Reads block: ask for a bounded number of bytes.
class PaneLog {
 public:
  /// Bytes that follow each other without a gap.
  struct Slice {
    std::string bytes;
    std::uint64_t from = 0;  ///< offset of the first byte: as asked for, or later after a gap
    std::uint64_t next = 0;  ///< where to read on
    std::optional<std::uint64_t>
        gap_bytes;             ///< how many bytes are gone between what was asked for and `from`
    bool gap_unknown = false;  ///< bytes that nobody counted are missing just before `from` as well
    bool eof = false;          ///< `next` is the current end
  };

  struct Tail {
    std::string bytes;
    std::uint64_t from = 0;       ///< offset of the first byte
    std::uint64_t next = 0;       ///< the end of the log: where to read on
    std::uint64_t lines = 0;      ///< lines in `bytes`; max_bytes may have cut the first
    bool truncated = false;       ///< more was logged before `from`
    std::uint64_t gap_bytes = 0;  ///< bytes that are gone between `from` and `next`
    bool gap_unknown = false;     ///< bytes that nobody counted are missing there as well
  };

  struct Gap {
    std::uint64_t bytes = 0;  ///< how many are gone
    std::uint64_t unwritten =
        0;                      ///< of these, how many the log did not take; the others were removed from it
    int error = 0;              ///< why the log did not take them (errno), where that is known
    bool unknown = false;       ///< bytes that nobody counted are missing as well
    std::uint64_t waiting = 0;  ///< bytes not gone: in the writer's memory until the log takes them
  };

  /// The log as a whole.
  struct Extent {
    std::uint64_t end = 0;  ///< the offset after the last byte counted
    Gap gap;                ///< the bytes before it that are gone
  };

  static constexpr std::size_t kBlockBytes = std::size_t{64} * 1024;

  /// `block_bytes`: how much last_lines reads at once; tests make it small.
  explicit PaneLog(std::filesystem::path path, std::size_t block_bytes = kBlockBytes);

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  /// The offset after the last byte logged.
  [[nodiscard]] std::uint64_t end() const;

  /// A stamp of the log's live file: while it stays the same, no byte was logged. Costs a tenth of end().
  struct Stamp {
    std::uint64_t device = 0, file = 0, size = 0;
    std::int64_t seconds = 0, nanoseconds = 0;  ///< when it was last written
    [[nodiscard]] friend bool operator==(const Stamp&, const Stamp&) = default;
  };
  [[nodiscard]] Stamp stamp() const;

  /// The offset after the last byte known to have been printed: more than end() while the log takes nothing
  /// (a full disk). Later output has no smaller offset.
  [[nodiscard]] std::uint64_t counted_end() const;

  [[nodiscard]] Extent extent() const;

  /// The bytes between two offsets that are gone.
  [[nodiscard]] Gap gap_between(std::uint64_t begin, std::uint64_t end) const;

  /// At most `max_bytes` from offset `from` on, up to the next gap. Empty beyond the end: then `next` is the
  /// end, or `from` where that byte is counted already.
  [[nodiscard]] Slice read(std::uint64_t from, std::size_t max_bytes) const;

  /// The last `count` lines, at most their last `max_bytes`. An unfinished last line counts as a line.
  [[nodiscard]] Tail last_lines(std::uint64_t count, std::size_t max_bytes) const;

 private:
  std::filesystem::path path_;
  std::size_t block_bytes_;
};

}  // namespace terminally
