#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "text/character_sets.hpp"
#include "text/screen_mark.hpp"

struct VTerm;

namespace terminally {

struct FreeVTerm {
  void operator()(VTerm* terminal) const;
};
using VTermPtr = std::unique_ptr<VTerm, FreeVTerm>;

/// The bytes of one character as one number.
[[nodiscard]] std::uint32_t pack_utf8(std::string_view character);

/// How many columns a character takes by libvterm, which is asked once for each character.
class CharacterWidths {
 public:
  CharacterWidths();

  /// 0 (combining), 1 or 2. `character` is one character of valid UTF-8.
  [[nodiscard]] int of(std::string_view character);

 private:
  VTermPtr terminal_;
  std::unordered_map<std::uint32_t, int> known_;
  std::uint32_t last_ = 0;  ///< a progress bar repeats one character
  int last_width_ = 0;
};

/// The height of the screen: a cursor cannot move further up.
inline constexpr int kScreenRows = 40;

/// A terminal of kScreenRows rows with an unlimited scrollback, emulated by libvterm. libvterm gets only what
/// moves the cursor or puts text, in 7-bit form and with bounded numbers. Input has no newlines.
class Screen {
 public:
  /// Stands above the last picture of an alternate screen that was left.
  static constexpr std::string_view kLastScreen = "[last screen of a full-screen program:]";

  explicit Screen(int cols);
  ~Screen();
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  /// `slice_at`: what is drawn by the bytes from there on is the slice (begin_slice).
  void write(std::string_view bytes, std::size_t slice_at = std::string_view::npos);
  /// Writes text without controls. `finish` returns it unchanged, never wrapped, if nothing draws over it.
  void write_text(std::string_view text);
  /// Moves to the start of the next row; straight down on the alternate screen, where programs use raw mode.
  void new_line();
  /// Switches to the alternate screen, as by CSI ? 1049 h, or back.
  void switch_to(bool alternate);

  /// From now on what is drawn is what `finish` shows, and what counts; without a call all is.
  void begin_slice();

  [[nodiscard]] bool alternate() const { return alternate_; }
  [[nodiscard]] bool in_slice() const { return slice_due_ || mark_; }
  /// How many lines of the normal screen went when all of it was cleared.
  [[nodiscard]] std::uint64_t cleared_lines() const { return cleared_lines_; }
  [[nodiscard]] CharacterSets& sets() { return sets_; }
  /// Whether the next text starts a line of its own below all text: it needs no emulator.
  [[nodiscard]] bool at_end() const;

  /// The visible text, scrollback first, without blanks at the ends of rows; after the normal screen the
  /// alternate one, if it is on, or the last picture of it. Ends with a newline if the cursor stands below
  /// all text. No call may follow.
  ///
  /// Of a slice: the rows from the first that is another than before, or from the cursor on; and where the
  /// slice begins and ends on one alternate screen, all of that screen and nothing else.
  [[nodiscard]] std::string finish();

 private:
  class Filter;
  struct Callbacks;
  struct Position {
    int row = 0;
    int col = 0;
  };
  struct KeptLine {
    std::size_t first_row;
    std::string text;
    std::vector<std::string> rows;  ///< the line as the screen shows it
  };

  void send(std::string_view bytes);
  [[nodiscard]] std::size_t cursor_row() const;
  [[nodiscard]] int cursor_col() const;
  [[nodiscard]] bool is_blank(int row) const;
  [[nodiscard]] std::string columns(int row, int cols) const;
  [[nodiscard]] std::string screen_row(int row) const;
  [[nodiscard]] std::string row(std::size_t number) const;
  void count_cleared_lines();
  void mark();
  /// The rows of the current screen, up to the last with text.
  [[nodiscard]] std::vector<std::string> rows_with_text() const;
  /// The same, but at least up to the cursor's.
  [[nodiscard]] std::vector<std::string> visible_rows() const;
  /// The rows from number `from` on, with each kept line that nothing has drawn over as it was written.
  [[nodiscard]] std::vector<std::string> restored(std::vector<std::string> rows, std::size_t from) const;

  const int cols_;
  VTermPtr terminal_;
  bool alternate_ = false;
  Position before_;  ///< the cursor of the screen that is not on
  std::vector<std::string>
      scrolled_;  ///< rows that left the top; row number n is scrolled_[n] or further down the screen
  std::vector<KeptLine> kept_;  ///< lines that the screen cannot return as they were written
  CharacterSets sets_;
  std::optional<ScreenMark> mark_;        ///< the normal screen where the slice began
  bool slice_due_ = false;                ///< the slice began on the alternate screen, which is still on
  std::vector<std::string> last_screen_;  ///< the alternate one when it was left, if it had text
  std::uint64_t cleared_lines_ = 0;
};

}  // namespace terminally
