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

/// How many columns a character takes, in the eyes of libvterm. Asked once a character, then remembered.
class CharacterWidths {
 public:
  CharacterWidths();

  /// 0 (combining), 1 or 2. `character` is one character of valid UTF-8.
  [[nodiscard]] int of(std::string_view character);

 private:
  VTermPtr terminal_;
  std::unordered_map<std::uint32_t, int> known_;
  std::uint32_t last_ = 0;  ///< bars are made of one character, many times
  int last_width_ = 0;
};

/// The tallest screen a cursor can move over.
inline constexpr int kScreenRows = 40;

/// A terminal of kScreenRows rows and a scrollback without limit: libvterm, which is shown only what moves
/// the cursor or puts text, in its 7-bit form and with bounded numbers. What it is fed is bytes without
/// newlines.
class Screen {
 public:
  explicit Screen(int cols);
  ~Screen();
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  void write(std::string_view bytes);
  /// Text without controls. When nothing changes it afterwards, `finish` gives it back unchanged, never
  /// wrapped.
  void write_text(std::string_view text);
  /// To the start of the next row. On the alternate screen, whose programs draw in raw mode: straight down.
  void new_line();
  /// To the alternate screen, as by CSI ? 1049 h, or back.
  void switch_to(bool alternate);

  [[nodiscard]] bool alternate() const { return alternate_; }
  /// Whether what comes next starts a line of its own below everything: no emulator is needed for it.
  [[nodiscard]] bool at_end() const;

  /// What can be seen, scrollback first, without blanks at the ends of rows; the alternate screen, if it is
  /// on, after the normal one. Ends with a newline if the cursor stands below all text. Nothing may be
  /// written afterwards.
  [[nodiscard]] std::string finish();

 private:
  class Filter;
  struct Callbacks;
  struct KeptLine {
    std::size_t first_row;
    std::string text;
    std::vector<std::string> rows;  ///< how the screen shows it
  };

  void send(std::string_view bytes);
  [[nodiscard]] std::size_t cursor_row() const;
  [[nodiscard]] int cursor_col() const;
  [[nodiscard]] bool is_blank(int row) const;
  [[nodiscard]] std::string screen_row(int row) const;
  [[nodiscard]] std::string row(std::size_t number) const;
  /// The rows that are seen on the current screen: up to the cursor or the last text, the lower one.
  [[nodiscard]] std::vector<std::string> visible_rows() const;
  /// Puts lines that nothing has changed in the place of the rows that show them.
  void restore_kept(std::vector<std::string>& rows) const;

  const int cols_;
  VTermPtr terminal_;
  bool alternate_ = false;
  int row_before_ = 0;  ///< the cursor on the normal screen, while it is hidden
  int col_before_ = 0;
  std::vector<std::string>
      scrolled_;  ///< rows that left the top; row number n is scrolled_[n] or further down the screen
  std::vector<KeptLine> kept_;  ///< lines that the screen would not give back as they were
};

}  // namespace terminally
