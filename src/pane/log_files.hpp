#pragma once

#include <array>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/log_record.hpp"
#include "base/unique_fd.hpp"

namespace terminally {

/// The writer's side of a log and its sidecar: appends bytes and records gaps, in the order that
/// doc/pane-log.md asks for ("Rules for writers"). No call throws or waits; one that fails can be made again,
/// and nothing is written twice.
class LogFiles {
 public:
  /// False when the path is too long.
  [[nodiscard]] bool set_path(std::string_view log_path);

  /// Opens both files, takes the writer's lock, finds where the last writer stopped and records the start.
  /// False: not now (no space, no descriptor, another writer holds the lock); what was reached is kept for
  /// the next try.
  [[nodiscard]] bool open();

  /// Returns how many of the bytes were appended; fewer than `count`: the log takes no more for now.
  [[nodiscard]] std::size_t append(const char* bytes, std::size_t count);

  /// `dropped` bytes will never be in the log. True: the record is on disk, and bytes after the gap may
  /// follow.
  [[nodiscard]] bool record_gap(std::uint64_t dropped);

  void sync() const;

  /// Of the next byte, once opened.
  [[nodiscard]] std::uint64_t offset() const { return offset_; }

 private:
  [[nodiscard]] bool lock_sidecar();
  [[nodiscard]] bool find_end();
  [[nodiscard]] bool append_record(LogRecord::Kind kind, std::uint64_t offset);

  std::array<char, PATH_MAX> log_path_{};
  std::array<char, PATH_MAX> sidecar_path_{};
  UniqueFd log_;
  UniqueFd sidecar_;
  bool started_ = false;
  std::uint64_t offset_ = 0;         ///< of the next byte, among all bytes of the tab
  std::uint64_t position_ = 0;       ///< of the next byte, in the live file
  std::uint64_t sidecar_bytes_ = 0;  ///< of whole records
};

}  // namespace terminally
