#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/descriptors.hpp"
#include "log/log_record.hpp"
#include "pane/log_path.hpp"

namespace terminally {

/// The file of records beside a log, and the lock of its one writer. Records have fixed places, so that the
/// next try overwrites a record that a full disk cut short. No call throws or waits.
class Sidecar {
 public:
  /// False when the path is too long.
  [[nodiscard]] bool set_path(std::string_view log_path);

  /// Opens the file and takes the lock. False: not now, see errno; another writer may hold the lock.
  [[nodiscard]] bool open();
  [[nodiscard]] bool is_open() const { return static_cast<bool>(file_); }
  /// Whether the file still has its name.
  [[nodiscard]] bool is_there() const { return is_at(path_, file_); }
  void close() { file_.reset(); }

  /// The size of all whole records.
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  /// Sets that size: records beyond it are overwritten.
  void end_at(std::uint64_t bytes) { bytes_ = bytes; }

  /// False: the file cannot be read now. `record` is empty where no whole record is at `at`.
  [[nodiscard]] bool read(std::uint64_t at, std::optional<LogRecord>& record) const;

  /// False, with `error()`: the record is not in the file. Else it is on disk, unless it is the first.
  [[nodiscard]] bool append(const LogRecord& record);

  /// Writes a record after the last, in a place that was reserved while there was space; each call and the
  /// next append overwrite it. False, with `error()`: the record is not in the file.
  [[nodiscard]] bool tell(const LogRecord& record);
  /// Removes the record of tell().
  void take_back();

  /// Drops the records before `first_kept`, which are about bytes that are gone. If the number of those bytes
  /// is not known, the new sidecar says so.
  void compact(std::uint64_t first_kept);

  /// The error of the last write (errno); 0: it went well, or was cut short.
  [[nodiscard]] int error() const { return error_; }
  [[nodiscard]] std::uint64_t free_bytes() const;

 private:
  [[nodiscard]] bool write(const LogRecord& record);
  void reserve_next_records() const;

  LogPath path_{};
  UniqueFd file_;
  std::uint64_t bytes_ = 0;
  bool told_ = false;
  int error_ = 0;
};

}  // namespace terminally
