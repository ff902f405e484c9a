// Strips a line of its escape sequences, or draws the line into a row of cells.
#include "text/drawn_line.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/utf8.hpp"
#include "text/ansi_parser.hpp"

namespace terminally {
namespace {

/// AnsiParser handler: collects the text and the widest effect of the controls.
class LineStripper {
 public:
  LineStripper(std::string& text, LineState& state) : text_(text), state_(state) {}

  [[nodiscard]] Effect effect() const { return effect_; }

  void text(std::string_view text) {
    widen(after_return_ ? Effect::line : Effect::none);
    state_.sets.append(text, text_);
  }

  void control(char c) {
    after_return_ = after_return_ || c == '\r';
    widen(c == '\b' ? Effect::line : Effect::none);
    state_.sets.control(c);
  }

  void escape(char intermediate, char final) {
    widen(effect_of_escape(intermediate, final));
    state_.sets.escape(intermediate, final);
  }

  void csi(std::string_view parameters, char final) {
    const Csi csi = parse_csi(parameters, final);
    widen(effect_of(csi));
    state_.alternate = switches_screen(csi).value_or(state_.alternate);
    state_.sets.csi(parameters, final);
  }

 private:
  void widen(Effect effect) { effect_ = std::max(effect_, effect); }

  std::string& text_;
  LineState& state_;
  bool after_return_ = false;  ///< the next text overwrites the line
  Effect effect_ = Effect::none;
};

/// AnsiParser handler: a row of cells and a cursor. A cell is the bytes of one character, packed; combining
/// marks are rare and kept apart.
class LineEditor {
 public:
  LineEditor(CharacterSets sets, int cols, CharacterWidths& widths)
      : sets_(sets), cols_(static_cast<std::size_t>(cols)), widths_(widths) {}

  [[nodiscard]] std::optional<DrawnLine> result() const {
    if (!fits_) {
      return std::nullopt;
    }
    DrawnLine line{cells_text(cells_.size()), cells_text(std::min(col_, cells_.size()))};
    line.to_cursor.append(col_ - std::min(col_, cells_.size()), ' ');
    line.text.erase(line.text.find_last_not_of(' ') + 1);
    return line;
  }

  void text(std::string_view text) {
    if (sets_.are_plain()) {
      put_text(text);
      return;
    }
    std::string shown;
    sets_.append(text, shown);
    put_text(shown);
  }

  void control(char c) {
    sets_.control(c);
    if (c == '\r') {
      col_ = 0;
    } else if (c == '\b') {
      move_left(1);
    }
  }

  void escape(char intermediate, char final) { sets_.escape(intermediate, final); }

  void csi(std::string_view parameters, char final) {
    const Csi csi = parse_csi(parameters, final);
    if (effect_of(csi) != Effect::line) {
      return;
    }
    const auto distance = static_cast<std::size_t>(csi.distance());
    switch (final) {
      case 'C':
        col_ = std::min(col_ + distance, cols_ - 1);
        break;
      case 'D':
        move_left(distance);
        break;
      case 'G':
        col_ = std::min(distance, cols_) - 1;
        break;
      default:
        erase(csi.numbers[0]);
    }
  }

 private:
  static constexpr std::uint32_t kBlank = ' ';
  static constexpr std::uint32_t kCovered = 0;  ///< covered by the wide character to the left

  [[nodiscard]] std::string cells_text(std::size_t count) const {
    std::string text;
    for (std::size_t col = 0; col < count; ++col) {
      append_unpacked(text, cells_[col]);
      text += col < marks_.size() ? marks_[col] : "";
    }
    return text;
  }

  void put_text(std::string_view text) {
    while (!text.empty() && fits_) {
      const std::size_t ascii = std::min(ascii_prefix(text), text.find('\t'));
      if (ascii > 0) {
        put_ascii(text.substr(0, ascii));
        text.remove_prefix(ascii);
      } else if (text[0] == '\t') {
        col_ = std::max(col_, std::min((col_ / 8 + 1) * 8, cols_ - 1));
        text.remove_prefix(1);
      } else {
        const std::size_t bytes = first_utf8_part(text).bytes;
        put(text.substr(0, bytes));
        text.remove_prefix(bytes);
      }
    }
  }

  static void append_unpacked(std::string& text, std::uint32_t cell) {
    for (int shift = 24; shift >= 0; shift -= 8) {
      if (const auto byte = static_cast<unsigned char>(cell >> shift & 0xFFU); byte != 0) {
        text += static_cast<char>(byte);
      }
    }
  }

  void put_ascii(std::string_view text) {
    if (make_room(text.size())) {
      std::copy(text.begin(), text.end(), cells_.begin() + static_cast<std::ptrdiff_t>(col_));
      col_ += text.size();
    }
  }

  void put(std::string_view character) {
    const auto width = static_cast<std::size_t>(widths_.of(character));
    if (width == 0) {
      combine(character);
    } else if (make_room(width)) {
      cells_[col_] = pack_utf8(character);
      if (width == 2) {
        cells_[col_ + 1] = kCovered;
      }
      col_ += width;
    }
  }

  /// Makes room for `width` cells from the cursor on. False: the row is too short.
  bool make_room(std::size_t width) {
    const std::size_t end = col_ + width;
    fits_ = end <= cols_;
    if (fits_) {
      cells_.resize(std::max(cells_.size(), end), kBlank);
      uncover(col_);
      uncover(end);
      for (std::size_t col = col_; col < std::min(end, marks_.size()); ++col) {
        marks_[col].clear();
      }
    }
    return fits_;
  }

  void combine(std::string_view mark) {
    std::size_t base = std::min(col_, cells_.size());
    while (base > 0 && cells_[base - 1] == kCovered) {
      --base;
    }
    if (base > 0) {
      marks_.resize(std::max(marks_.size(), base));
      marks_[base - 1] += mark;
    }
  }

  /// Blanks both halves of a wide character that stands across this border, because one half is about to go.
  void uncover(std::size_t col) {
    if (col > 0 && col < cells_.size() && cells_[col] == kCovered) {
      cells_[col - 1] = kBlank;
      cells_[col] = kBlank;
    }
  }

  void move_left(std::size_t distance) { col_ -= std::min(col_, distance); }

  /// `what` as in CSI K: 0 from the cursor on, 1 up to the cursor, 2 everything.
  void erase(int what) {
    if (what > 2) {
      return;
    }
    const std::size_t from = what == 0 ? std::min(col_, cells_.size()) : 0;
    const std::size_t to = what == 1 ? std::min(col_ + 1, cells_.size()) : cells_.size();
    uncover(from);
    uncover(to);
    std::fill(cells_.begin() + static_cast<std::ptrdiff_t>(from),
              cells_.begin() + static_cast<std::ptrdiff_t>(to), kBlank);
    for (std::size_t col = from; col < std::min(to, marks_.size()); ++col) {
      marks_[col].clear();
    }
    if (to == cells_.size()) {
      cells_.resize(from);
    }
  }

  CharacterSets sets_;
  const std::size_t cols_;
  CharacterWidths& widths_;
  std::vector<std::uint32_t> cells_;
  std::vector<std::string> marks_;  ///< combining marks by cell, up to the last cell that has any
  std::size_t col_ = 0;             ///< cols_ when the last column was written
  bool fits_ = true;
};

}  // namespace

Effect strip_line(std::string_view line, LineState& state, std::string& text) {
  LineStripper stripper(text, state);
  parse_whole(line, stripper);
  return stripper.effect();
}

std::optional<DrawnLine> draw_line(std::string_view line, CharacterSets sets, int cols,
                                   CharacterWidths& widths) {
  LineEditor editor(sets, cols, widths);
  parse_whole(line, editor);
  return editor.result();
}

}  // namespace terminally
