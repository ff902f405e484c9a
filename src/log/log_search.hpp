#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "log/log_text.hpp"
#include "log/pane_log.hpp"
#include "log/searching.hpp"
#include "text/pattern_scan.hpp"

namespace terminally {

/// Looks through the log of a tab for a pattern, in steps; also while it grows. Holds no more than a block of
/// it.
class LogSearch {
 public:
  /// How long one step takes at most where others are to be served in between.
  static constexpr Milliseconds kSlice{3};

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
  [[nodiscard]] std::uint64_t offset() const { return scan_.offset(); }

 private:
  const PaneLog& log_;
  PatternScan scan_;
  std::uint64_t read_;             ///< offset up to which the log was read
  bool found_unfinished_ = false;  ///< what was found last: its line had no end yet
};

/// Single lines of a log as text, masked, without what is ours; keeps a part of the log for the lines to
/// come.
class ShownLines {
 public:
  ShownLines(const PaneLog& log, const SearchLogs& request)
      : log_(log),
        guard_(request.guard),
        view_{.strip_ansi = true, .guard = request.guard, .own_files = request.own_files} {}

  /// To be called for the bytes that the lines are of: they stand at offset `begin`.
  void look_at(std::uint64_t begin, std::string_view bytes);
  /// The line that stands at offset `begin`. nullopt: all of it is ours.
  [[nodiscard]] std::optional<std::string> text(std::uint64_t begin, std::string_view line);
  /// Whether what stands at this offset is ours.
  [[nodiscard]] bool is_ours(std::uint64_t offset) const;

 private:
  const PaneLog& log_;
  std::shared_ptr<TextGuard> guard_;
  TextView view_;
  std::uint64_t begin_ = 0;  ///< log offset of the part
  std::uint64_t end_ = 0;
  std::optional<LogText> part_;
};

/// Puts matches together into an answer of bounded size: their lines, and the lines around them.
class FoundLinesWriter {
 public:
  /// An answer has no more text than this as JSON, but for its first match.
  static constexpr std::size_t kMostBytes = std::size_t{64} * 1024;

  FoundLinesWriter(const PaneLog& log, const SearchLogs& request)
      : log_(log), request_(request), lines_(log, request) {}

  /// False when there is no room for it: search on from its line in another answer. A match in a line that
  /// we typed is none.
  [[nodiscard]] bool add(const LineMatch& match);
  [[nodiscard]] bool full() const { return found_.matches.size() >= request_.max_matches; }

  /// The answer, all but where to go on.
  [[nodiscard]] FoundLines finish();

 private:
  void add_lines_after(std::uint64_t until);
  [[nodiscard]] std::optional<std::string> line_of(const LineMatch& match);

  const PaneLog& log_;
  const SearchLogs& request_;
  ShownLines lines_;
  FoundLines found_;
  std::uint64_t shown_ = 0;  ///< offset up to which lines were shown
  std::size_t bytes_ = 0;
};

}  // namespace terminally
