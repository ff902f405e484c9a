#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.hpp"
#include "log/log_text.hpp"
#include "log/pane_log.hpp"
#include "text/pattern_scan.hpp"

namespace terminally {

class TextGuard;

struct SearchLogs {
  WindowId window_id;
  std::string pattern;  ///< PCRE2, matched against each line without its escape sequences
  std::uint64_t context_lines = 2;
  std::uint64_t max_matches = 50;
  std::uint64_t from_byte = 0;
  bool ignore_case = false;
  std::shared_ptr<TextGuard> guard = nullptr;  ///< masks the lines after the pattern was matched
  /// See TextView.
  std::string own_files = {};  // NOLINT(readability-redundant-member-init): g++ wants it named
};

/// One line that matched. Texts have no escape sequences; a text of more than 1000 bytes is cut, the matched
/// line around the match. No line stands in an answer twice: `before` begins after the lines shown already,
/// `after` ends before the next match.
struct FoundLine {
  std::string line;
  std::uint64_t byte = 0;  ///< log offset of the match
  std::vector<std::string> before;
  std::vector<std::string> after;
};

struct FoundLines {
  std::vector<FoundLine> matches;
  std::uint64_t next_byte = 0;  ///< where to search on
  bool truncated = false;       ///< the log was not searched to its end: there may be more from next_byte on
  std::vector<std::string> notes;
};

/// Searches the log of a tab for a pattern, in steps, also while it grows. Holds one block of the log.
class LogSearch {
 public:
  /// How long one step may take where others are to be served in between.
  static constexpr Milliseconds kSlice{3};

  /// Matches begin at offset `from` or later. The log and the pattern must outlive the search.
  LogSearch(const PaneLog& log, Pattern& pattern, std::uint64_t from);
  /// The same, as if the log began at `line_begin`.
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
  bool found_unfinished_ = false;  ///< the line that was found last had no end yet
};

/// Lines of a log as text, masked, without the lines that we typed. Keeps a part of the log for later lines.
class ShownLines {
 public:
  ShownLines(const PaneLog& log, const SearchLogs& request)
      : log_(log),
        guard_(request.guard),
        view_{.strip_ansi = true, .guard = request.guard, .own_files = request.own_files} {}

  /// Reads the part around `bytes`, which stand at offset `begin`. To be called before `text` and `is_ours`.
  void look_at(std::uint64_t begin, std::string_view bytes);
  /// The text of the line at offset `begin`. nullopt: we typed all of it.
  [[nodiscard]] std::optional<std::string> text(std::uint64_t begin, std::string_view line);
  /// Whether the byte at this offset belongs to a line that we typed.
  [[nodiscard]] bool is_ours(std::uint64_t offset) const;

 private:
  const PaneLog& log_;
  std::shared_ptr<TextGuard> guard_;
  TextView view_;
  std::uint64_t begin_ = 0;  ///< log offset of the part
  std::uint64_t end_ = 0;
  std::optional<LogText> part_;
};

/// Makes an answer of bounded size: the matched lines, and the lines around them.
class FoundLinesWriter {
 public:
  /// The most text of an answer, as JSON; the first match may have more.
  static constexpr std::size_t kMostBytes = std::size_t{64} * 1024;

  FoundLinesWriter(const PaneLog& log, const SearchLogs& request)
      : log_(log), request_(request), lines_(log, request) {}

  /// False when the match has no room: the next answer begins with its line. Skips lines that we typed.
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
