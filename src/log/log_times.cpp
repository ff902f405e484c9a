// Reads the timing index of a log from its end, so that later records win.
#include "log/log_times.hpp"

#include <algorithm>
#include <string>

#include "base/files.hpp"

namespace terminally {

LogTimes::LogTimes(std::string_view records) {
  // From the end, because later records hold: the writer thins the file in place, and a power loss can leave
  // an index that is ahead of its log.
  records.remove_suffix(records.size() % kTimeRecordBytes);
  for (; !records.empty(); records.remove_suffix(kTimeRecordBytes)) {
    const auto record = decode_time_record(records.substr(records.size() - kTimeRecordBytes));
    if (record && (records_.empty() || record->offset < records_.back().offset)) {
      records_.push_back(*record);
    }
  }
  std::reverse(records_.begin(), records_.end());
}

LogTimes LogTimes::read(const std::filesystem::path& log_path) {
  return LogTimes(read_file(log_path.string() + std::string(kLogTimesSuffix)).value_or(""));
}

}  // namespace terminally
