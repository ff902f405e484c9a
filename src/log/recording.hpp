#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "log/log_record.hpp"
#include "log/pane_log.hpp"

namespace terminally {

/// When the bytes of a log were printed, from its timing index. Pure, but for `read`.
/// doc/pane-log.md, "The timing index".
class LogTimes {
 public:
  /// Skips what is no record; of two contradicting records the later one holds.
  explicit LogTimes(std::string_view records);

  /// The index of the log at `log_path`; empty when it is not there or cannot be read.
  [[nodiscard]] static LogTimes read(const std::filesystem::path& log_path);

  /// Ascending in offset. The times may go back: somebody set the clock.
  [[nodiscard]] const std::vector<TimeRecord>& records() const { return records_; }

 private:
  std::vector<TimeRecord> records_;
};

/// A log as a recording: its bytes in order, with the time that passed between them. Ends where the log ended
/// when the object was made. Memory holds one block of the log. Without a timing index all waits are 0.
class Recording {
 public:
  struct Piece {
    std::chrono::milliseconds wait{0};  ///< after the piece before; a clock that was set back counts as 0
    std::string bytes;                  ///< not empty
    std::uint64_t gap_bytes = 0;        ///< how many bytes are gone just before them
    bool gap_unknown = false;           ///< bytes that nobody counted are missing there as well
  };

  /// Begins at offset `from`. Throws as PaneLog does.
  explicit Recording(const PaneLog& log, std::uint64_t from = 0)
      : Recording(log, LogTimes::read(log.path()), from) {}
  Recording(PaneLog log, LogTimes times, std::uint64_t from);

  [[nodiscard]] bool has_times() const { return !times_.records().empty(); }

  /// When the first piece was printed, in seconds since the epoch; none without an index.
  [[nodiscard]] std::optional<std::uint64_t> began_at() const;

  [[nodiscard]] std::optional<Piece> next();

 private:
  [[nodiscard]] bool fill();
  [[nodiscard]] std::size_t record_before(std::uint64_t offset) const;

  PaneLog log_;
  LogTimes times_;
  std::uint64_t from_;
  std::uint64_t end_;
  std::uint64_t next_read_;
  std::string block_;      // bytes read and not yet returned, from offset from_ on
  std::uint64_t gap_ = 0;  // how many bytes are gone before block_
  bool gap_unknown_ = false;
  std::size_t record_ = 0;  // the record of the piece last returned
};

}  // namespace terminally
