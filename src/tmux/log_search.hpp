#pragma once

#include <cstdint>

#include "tmux/masking.hpp"
#include "tmux/pane_log.hpp"
#include "tmux/pattern_scan.hpp"
#include "tmux/searching.hpp"

namespace terminally {

/// Looks through the log of a tab for a pattern, in steps; also while it grows. Holds no more than a block of
/// it.
class LogSearch {
 public:
  /// Matches begin at offset `from` or later. The log and the pattern must outlive this.
  LogSearch(const PaneLog& log, Pattern& pattern, std::uint64_t from);
  /// As if a line began at `line_begin`, and before it there were nothing.
  LogSearch(const PaneLog& log, Pattern& pattern, std::uint64_t from, std::uint64_t line_begin);

  enum class Step {
    found,        ///< see found()
    at_end,       ///< all bytes before `end` are searched
    out_of_time,  ///< call again
  };

  /// Goes on until there is a match before offset `end`, but not much longer than `until`. Throws Error(io),
  /// or Error(invalid_argument) when the pattern takes too many steps.
  [[nodiscard]] Step next(std::uint64_t end, Clock::time_point until);

  [[nodiscard]] const LineMatch& found() const { return scan_.found(); }

  /// Offset of the line to be searched next.
  [[nodiscard]] std::uint64_t position() const { return scan_.position(); }

 private:
  const PaneLog& log_;
  PatternScan scan_;
  std::uint64_t read_;  ///< offset up to which the log was read
};

/// Puts matches together into an answer of bounded size: their lines, and the lines around them.
class FoundLinesWriter {
 public:
  /// An answer has no more text than this as JSON, but for its first match.
  static constexpr std::size_t kMostBytes = std::size_t{64} * 1024;

  FoundLinesWriter(const PaneLog& log, const SearchLogs& request)
      : log_(log), request_(request), lines_(log, request.guard) {}

  /// False when there is no room for it: search on from its line in another answer.
  [[nodiscard]] bool add(const LineMatch& match);
  [[nodiscard]] bool full() const { return found_.matches.size() >= request_.max_matches; }

  /// The answer, all but where to go on.
  [[nodiscard]] FoundLines finish();

 private:
  void add_lines_after(std::uint64_t until);
  [[nodiscard]] std::string line_of(const LineMatch& match);

  const PaneLog& log_;
  const SearchLogs& request_;
  MaskedLines lines_;
  FoundLines found_;
  std::uint64_t shown_ = 0;  ///< offset up to which lines were shown
  std::size_t bytes_ = 0;
};

}  // namespace terminally
