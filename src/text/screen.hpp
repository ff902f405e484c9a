#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

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
  explicit Screen(int cols);
  ~Screen();
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  void write(std::string_view bytes);
  /// Writes text without controls. `finish` returns it unchanged, never wrapped, if nothing draws over it.
  void write_text(std::string_view text);
  /// Moves to the start of the next row; straight down on the alternate screen, where programs use raw mode.
  void new_line();
  /// Switches to the alternate screen, as by CSI ? 1049 h, or back.
  void switch_to(bool alternate);

  [[nodiscard]] bool alternate() const { return alternate_; }
  /// Whether the next text starts a line of its own below all text: it needs no emulator.
  [[nodiscard]] bool at_end() const;

  /// The visible text, scrollback first, without blanks at the ends of rows; the alternate screen, if it is
  /// on, after the normal one. Ends with a newline if the cursor stands below all text. No call may follow.
  [[nodiscard]] std::string finish();

 private:
  class Filter;
  struct Callbacks;
  struct KeptLine {
    std::size_t first_row;
    std::string text;
    std::vector<std::string> rows;  ///< the line as the screen shows it
  };

  void send(std::string_view bytes);
  [[nodiscard]] std::size_t cursor_row() const;
  [[nodiscard]] int cursor_col() const;
  [[nodiscard]] bool is_blank(int row) const;
  [[nodiscard]] std::string screen_row(int row) const;
  [[nodiscard]] std::string row(std::size_t number) const;
  /// The rows of the current screen, up to the cursor's or the last with text, whichever is lower.
  [[nodiscard]] std::vector<std::string> visible_rows() const;
  /// Replaces the rows of each kept line that nothing has drawn over by the line as it was written.
  void restore_kept(std::vector<std::string>& rows) const;

  const int cols_;
  VTermPtr terminal_;
  bool alternate_ = false;
  int row_before_ = 0;  ///< the cursor of the normal screen while the alternate one is on
  int col_before_ = 0;
  std::vector<std::string>
      scrolled_;  ///< rows that left the top; row number n is scrolled_[n] or further down the screen
  std::vector<KeptLine> kept_;  ///< lines that the screen cannot return as they were written
};

}  // namespace terminally
