#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "log/time_record.hpp"

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

}  // namespace terminally
