#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/timeout.hpp"
#include "text/pattern.hpp"

namespace terminally {

/// A line of a log that a pattern matches. All offsets count raw bytes of the log.
struct LineMatch {
  std::uint64_t byte = 0;        ///< where the match begins, not merely its line
  std::uint64_t line_begin = 0;  ///< where the line begins, or the piece of a long one
  std::uint64_t line_end = 0;    ///< after the line and its newline
  std::string text;              ///< the line without its escape sequences
  Pattern::Match match;          ///< in `text`
  bool unfinished = false;       ///< the line has no end yet; it is found again when more of it is fed

  /// More of the line might make the match longer.
  [[nodiscard]] bool may_grow() const { return unfinished && match.end == text.size(); }
  [[nodiscard]] std::string_view matched() const {
    return std::string_view(text).substr(match.begin, match.end - match.begin);
  }
};

/// Finds the lines of a stream that a pattern matches in their text, escape sequences removed (AnsiStripper).
/// Pure: bytes in, matches out; any split of the stream gives the same finished lines. A line is reported
/// once, by its first match.
///
/// A line of more than kPieceBytes is searched in pieces, each of which counts as a line. Pieces overlap by
/// kOverlapBytes, which is how long a match across two of them may be. The scan holds no more than a piece
/// and the bytes fed at once.
///
/// Where the pattern allows it, many lines are searched at once: a plain word in lines without escape
/// sequences is found nearly at the speed of memory.
class PatternScan {
 public:
  static constexpr std::size_t kPieceBytes = std::size_t{64} * 1024;
  static constexpr std::size_t kOverlapBytes = 4'096;

  /// `line_begin`: offset of the first byte that will be fed, the start of a line. Matches that begin before
  /// `from` are passed over. The pattern must outlive the scan.
  PatternScan(Pattern& pattern, std::uint64_t line_begin, std::uint64_t from);
  PatternScan(const PatternScan&) = delete;
  PatternScan& operator=(const PatternScan&) = delete;
  ~PatternScan() = default;

  enum class Step {
    found,        ///< see found()
    needs_more,   ///< all that was fed is searched
    out_of_time,  ///< call again
  };

  /// Searches until there is a match, but not much longer than `until`; each call makes progress. The last
  /// line fed is searched even when it has no end yet, again each time more of it is fed. Throws
  /// Error(invalid_argument) when the pattern takes too many steps.
  [[nodiscard]] Step next(Clock::time_point until);

  [[nodiscard]] const LineMatch& found() const { return found_; }

  /// The bytes that follow. Only when next() needed more, or found a line that has no end yet.
  void feed(std::string_view bytes);

  /// Bytes are missing: what is fed next begins at offset `next`. Only when next() needed more.
  void skip_to(std::uint64_t next);

  /// Offset of the line to be searched next; the unfinished line when next() needed more.
  [[nodiscard]] std::uint64_t offset() const { return base_ + pos_; }

 private:
  /// What is being searched: one line, a piece of one, or many whole lines.
  struct Piece {
    std::size_t begin = 0;  ///< in buffer_
    std::size_t end = 0;
    std::size_t next = 0;  ///< where the next piece begins if nothing is found here
    bool many = false;
    bool plain = false;  ///< its bytes are its text
    bool begins_line = true;
    bool ends_line = true;
    bool unfinished = false;
    std::string_view text = {};  // NOLINT(readability-redundant-member-init): g++ warns without it
    std::size_t at = 0;          ///< in `text`: where to search on
    std::size_t raw_at = 0;      ///< of many lines: where in buffer_ the line at `at` begins
    std::size_t window = 0;      ///< how many places to try at once
  };

  [[nodiscard]] bool open_piece();
  [[nodiscard]] bool open_many();
  [[nodiscard]] bool open_line();
  void set_text(Piece& piece);
  void strip(std::string_view bytes, bool finished);
  [[nodiscard]] std::size_t whole_lines(std::size_t end) const;
  void look_for_odd_bytes();
  void close_piece(std::size_t next);
  [[nodiscard]] bool search_piece();
  [[nodiscard]] bool search_many();
  [[nodiscard]] Piece take_line(Piece& many, std::size_t text_at) const;
  void report(const Piece& piece, Pattern::Match match);

  Pattern& pattern_;
  std::uint64_t base_;  ///< offset of buffer_'s first byte
  std::uint64_t from_;
  std::string buffer_;
  std::size_t pos_ = 0;       ///< up to here everything is searched
  std::size_t plain_to_ = 0;  ///< from pos_ to here bytes are text
  bool odd_there_ = false;    ///< and the byte at plain_to_ is not
  bool in_line_ = false;      ///< pos_ is inside of a long line
  std::string text_;          ///< the text of a piece that is not plain
  std::optional<Piece> piece_;
  std::size_t window_ = 1'024;
  LineMatch found_;
};

/// Where in raw bytes, which begin on a border, the character stands that is at `text_at` of their text. For
/// the end of the text: after its last character.
[[nodiscard]] std::size_t raw_position(std::string_view bytes, std::size_t text_at);

/// The other way round: how long the text before the byte at `raw_at` is.
[[nodiscard]] std::size_t text_position(std::string_view bytes, std::size_t raw_at);

}  // namespace terminally
