#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/unique_fd.hpp"
#include "log/log_record.hpp"
#include "pane/log_path.hpp"

namespace terminally {

/// The file of records beside a log, and the lock of its one writer. Records have fixed places, so that one
/// cut short by a full disk is overwritten by the next try. No call throws or waits.
class Sidecar {
 public:
  /// False when the path is too long.
  [[nodiscard]] bool set_path(std::string_view log_path);

  /// Opens it and takes the lock: a second writer waits until the first has drained its input. False: not
  /// now, see errno.
  [[nodiscard]] bool open();
  [[nodiscard]] bool is_open() const { return static_cast<bool>(file_); }
  /// Whether it has its name still.
  [[nodiscard]] bool is_there() const { return is_at(path_, file_); }
  void close() { file_.reset(); }

  /// Of whole records.
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  /// What is behind is overwritten.
  void end_at(std::uint64_t bytes) { bytes_ = bytes; }

  /// False: it cannot be read now. `record` is empty where there is no whole one.
  [[nodiscard]] bool read(std::uint64_t at, std::optional<LogRecord>& record) const;

  /// False, with `error()`: it is not there. Else it is on disk.
  [[nodiscard]] bool append(const LogRecord& record);

  /// Behind the records, in a place that was reserved while there was space: overwritten by each call, and by
  /// what is appended next. False, with `error()`: it is not there.
  [[nodiscard]] bool tell(const LogRecord& record);
  /// What was told is no longer so.
  void take_back();

  /// Leaves out the records before this place. What is left out told of bytes that are gone. If nobody knows
  /// how many there were, the new sidecar says so.
  void compact(std::uint64_t first_kept);

  /// Of the last write; 0: it went well, or was cut short.
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
