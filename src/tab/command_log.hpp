#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/timeout.hpp"
#include "log/pane_log.hpp"
#include "tab/markers.hpp"

namespace terminally {

/// The log of a tab as one command in it sees it: read on to its END, a few milliseconds' worth at a time,
/// and which part of it is its output. That has no lines of our own, which a shell that traces (`set -x`)
/// prints behind START and before END.
class CommandLog {
 public:
  /// The log outlives it.
  explicit CommandLog(const PaneLog& log) : log_(log) {}

  /// What comes from this offset on is looked at for this nonce. `start`: where its output begins, where that
  /// is known from its record.
  void begin(const std::string& nonce, std::uint64_t from, std::uint64_t start);
  /// Nothing was typed under that nonce, or nothing was run.
  void forget();
  /// What marks the lines of our own that the shell may trace.
  void set_own_lines(std::vector<std::string> marks) { own_line_marks_ = std::move(marks); }

  /// Reads what is new. True once END was found. Throws Error(io): it may be readable later.
  bool read();

  [[nodiscard]] bool has_start() const { return began_; }
  [[nodiscard]] const std::optional<Marker>& end() const { return end_; }
  /// Its END was of something that never was.
  void forget_end() { end_.reset(); }
  /// Whether there is more to read than the last look took.
  [[nodiscard]] bool goes_on() const { return reading_.goes_on; }
  /// Where the next read begins.
  [[nodiscard]] std::uint64_t read_to() const { return reading_.to; }
  /// When something new was last read.
  [[nodiscard]] Clock::time_point grew() const { return reading_.grew; }
  /// Why the last read failed, and when one did not.
  [[nodiscard]] const std::optional<Error>& unreadable() const { return reading_.failure; }
  [[nodiscard]] Clock::time_point read_well() const { return reading_.well; }

  /// Where its output begins. It may still move behind lines of our own, unless `output_is_known`.
  [[nodiscard]] std::uint64_t start() const { return start_; }
  [[nodiscard]] bool output_is_known() const { return began_ && !traced_; }
  /// Where its output ends by now: no marker of its can begin before that any more.
  [[nodiscard]] std::uint64_t output_end() const;
  /// The same once END was read, without lines of our own before that. Throws Error(io).
  [[nodiscard]] std::uint64_t trimmed_end() const;

 private:
  static constexpr std::size_t kReadBytes = 256UL * 1024;
  static constexpr std::size_t kReadsAtOnce = 8;
  /// More than what the shell's trace prints of our own lines.
  static constexpr std::uint64_t kTraceBytes = 4'096;

  /// How far the log was read, and what came of the last read.
  struct Reading {
    std::uint64_t to = 0;
    bool goes_on = false;
    std::optional<PaneLog::Stamp> to_end_of;  ///< the log when there was no more
    std::optional<Error> failure;
    Clock::time_point well;
    Clock::time_point grew;
  };

  void read_on();
  void take_markers();
  void skip_own_lines();
  [[nodiscard]] std::size_t own_lines_at_start(std::string_view text) const;
  [[nodiscard]] bool is_own_line(std::string_view line) const;

  const PaneLog& log_;
  std::string nonce_;
  std::optional<MarkerScanner> scanner_;
  std::vector<std::string> own_line_marks_;
  Reading reading_;
  std::uint64_t start_ = 0;
  bool began_ = false;
  bool traced_ = false;  ///< our own lines may stand behind START, and were not looked for yet
  std::optional<Marker> end_;
};

}  // namespace terminally
