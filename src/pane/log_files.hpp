#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/descriptors.hpp"
#include "log/log_record.hpp"
#include "pane/log_path.hpp"
#include "pane/sidecar.hpp"

namespace terminally {

/// How much room the log of one pane takes. All in bytes.
struct LogLimits {
  std::uint64_t segment_bytes = std::uint64_t{64} << 20U;  ///< a segment of this size is rotated
  std::uint64_t quota_bytes = std::uint64_t{1} << 30U;     ///< the most for all segments together
  std::uint64_t min_free_bytes =
      0;  ///< with less than half of it free, only the newest rotated segment stays
  /// The sidecar is compacted when so many bytes of it are about segments that are gone.
  std::uint64_t sidecar_bytes = std::uint64_t{16} << 10U;
};

/// The writer's side of a log, its segments and its sidecar: appends bytes, records gaps, rotates and drops
/// the oldest segments, in the order that doc/pane-log.md asks for ("Rules for writers"). No call throws or
/// waits; one that fails can be made again, and nothing is written twice.
class LogFiles {
 public:
  /// False when the path is too long.
  [[nodiscard]] bool set_path(std::string_view log_path);
  void set_limits(const LogLimits& limits);

  /// Opens both files, takes the writer's lock, finds where the last writer stopped and records the start.
  /// Later calls check that the files are still there, and make them again where somebody removed them.
  /// False: not now (no space, no descriptor, another writer holds the lock); the next call goes on from
  /// there.
  [[nodiscard]] bool open();

  /// Returns how many bytes were appended; fewer than `count`: the log takes no more for now.
  [[nodiscard]] std::size_t append(const char* bytes, std::size_t count);

  /// Records that `dropped` bytes will never be in the log. True: the record is on disk; bytes may follow.
  [[nodiscard]] bool record_gap(std::uint64_t dropped);

  /// Tells readers that the log takes nothing: `kept` bytes wait in memory, and `dropped` bytes are lost so
  /// far. The record's place was reserved while there was space; each call and the next record overwrite it.
  void tell_waiting(std::uint64_t kept, std::uint64_t dropped);
  /// Takes the record of tell_waiting back: nothing waits any more.
  void clear_waiting() { sidecar_.take_back(); }

  void sync() const;

  /// The offset of the next byte, once opened.
  [[nodiscard]] std::uint64_t offset() const { return offset_; }

 private:
  [[nodiscard]] bool open_sidecar();
  [[nodiscard]] bool find_end();
  [[nodiscard]] bool open_live();
  [[nodiscard]] bool record_start();
  [[nodiscard]] bool still_there();
  void count_foreign_bytes(std::uint64_t live_bytes);

  void rotate();
  [[nodiscard]] bool begin_segment();
  [[nodiscard]] std::uint64_t room_in_segment() const;
  void drop_old_segments();
  [[nodiscard]] bool drop_oldest_segment();
  [[nodiscard]] bool is_dropped(std::uint64_t position, bool newest) const;

  [[nodiscard]] bool append_record(LogRecord::Kind kind, std::uint64_t offset);
  bool note_error(bool taken);
  [[nodiscard]] LogPath segment_path(std::uint64_t first_offset) const;

  LogLimits limits_;
  LogPath log_path_{};
  std::size_t stem_bytes_ = 0;
  UniqueFd log_;
  Sidecar sidecar_;
  bool end_known_ = false;
  bool started_ = false;
  int error_ = 0;         ///< why the log took nothing the last time (errno)
  bool renamed_ = false;  ///< the current segment has its final name; the record of the next segment is due
  std::uint64_t offset_ = 0;    ///< of the next byte, among all bytes of the tab
  std::uint64_t position_ = 0;  ///< of the next byte, among all bytes written
  LogRecord segment_;           ///< where the current segment begins
};

}  // namespace terminally
