#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "log/masking.hpp"
#include "log/text_view.hpp"
#include "text/character_sets.hpp"
#include "text/visible_text.hpp"

namespace terminally {

/// Some bytes of a log, and the text that they are for a reader. Always valid UTF-8.
struct FittingText {
  std::uint64_t bytes = 0;
  std::string text = {};            // NOLINT(readability-redundant-member-init): g++ wants it named
  MaskCounts masked = {};           // NOLINT(readability-redundant-member-init): g++ wants it named
  std::uint64_t cleared_lines = 0;  ///< Rendered
  bool may_grow = false;            ///< it is a mask for what may be no secret: more is to come that tells
};

/// Which end of a text is kept when not all of it fits.
enum class Keep { beginning, end };

/// A part of a log as text for a reader: rendered, stripped, or verbatim. What in it is ours, and what is
/// secret, is found once, when this is made; then it can be cut anywhere, as often as one likes: the rest of
/// the part counts as what is around a cut. With a guard, what is not verbatim shows invisible characters.
/// Pure, and may be used from any thread; the guard counts nothing.
class LogText {
 public:
  LogText(LogPart part, TextView view, int cols);

  /// The bytes of the part, which the others are offsets into.
  [[nodiscard]] std::string_view bytes() const;
  /// The bytes from `begin` to `end` without what is ours, with a mask for each secret.
  [[nodiscard]] std::string masked(std::size_t begin, std::size_t end, MaskCounts& counts) const;
  /// Where the first line that we typed begins that has a byte from `begin` to `end`.
  [[nodiscard]] std::optional<std::size_t> echo_in(std::size_t begin, std::size_t end) const;

  /// How many bytes of the part stay as they are shown, whatever follows the part.
  [[nodiscard]] std::size_t settled() const { return settled_; }
  /// What hides the byte before `at`; null where that is shown.
  [[nodiscard]] const Edit* edit_before(std::size_t at) const;

  [[nodiscard]] FittingText text(std::size_t begin, std::size_t end) const;
  /// As much of the part from byte `from` on as has a text of at most `budget` bytes as JSON, cut between
  /// characters and outside of any sequence; an end that is kept begins with a line if it can.
  [[nodiscard]] FittingText fitting(Keep keep, std::uint64_t budget, std::size_t from = 0) const;
  /// The same of the beginning, to read on behind it: the first character is there in any case, and what may
  /// become a secret is left for the next part, unless it is all there is.
  [[nodiscard]] FittingText chunk(std::uint64_t budget) const;

 private:
  /// What goes on from one piece of a text to the next.
  struct Reading {
    CharacterSets sets;
    VisibleText visible;
  };

  [[nodiscard]] Reading reading_from(std::size_t begin) const;
  void append(std::size_t begin, std::size_t end, Reading& reading, std::string& out,
              MaskCounts* masked) const;
  [[nodiscard]] FittingText rendered(std::size_t begin, std::size_t end) const;
  [[nodiscard]] FittingText beginning(std::uint64_t budget, std::size_t from, std::size_t to) const;
  [[nodiscard]] FittingText ending(std::uint64_t budget, std::size_t from) const;
  template <class TextOf>
  [[nodiscard]] FittingText drawn(std::uint64_t budget, std::size_t all, const TextOf& text_of) const;

  std::string drawn_before_;
  std::string window_;
  std::size_t begin_ = 0;  ///< of the part in it
  std::size_t end_ = 0;
  TextView view_;
  int cols_;
  std::vector<Edit> echoes_;
  std::vector<Edit> edits_;
  std::optional<std::size_t> unfinished_;
  std::size_t settled_ = 0;
};

/// A text of at most `budget` bytes as JSON; of a beginning as by `chunk`.
[[nodiscard]] FittingText fitting_text(LogPart part, TextView view, int cols, Keep keep,
                                       std::uint64_t budget);

/// Where the first `wanted` bytes, or a little less, end between characters and outside of any sequence; a
/// sequence that is all there is is taken whole. At the end of the log, what is unfinished is left for the
/// next call, unless it is all there is.
[[nodiscard]] std::size_t text_border(std::string_view bytes, std::size_t wanted, bool at_end);

}  // namespace terminally
