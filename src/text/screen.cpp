// A terminal screen with scrollback, emulated by libvterm, and the widths of characters.
#include "text/screen.hpp"

#include <vterm.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "base/characters.hpp"
#include "base/utf8.hpp"
#include "text/ansi_parser.hpp"
#include "text/csi.hpp"

namespace terminally {
namespace {

/// The character sets that libvterm knows. Others are withheld, because libvterm takes any `[`, `P` or `]`
/// after an escape for the beginning of a sequence, even in `ESC ( [`, and writes beyond its 16 arguments.
constexpr std::string_view kCharacterSets = "0AB";

VTermPos cursor(VTerm* terminal) {
  VTermPos position{};
  vterm_state_get_cursorpos(vterm_obtain_state(terminal), &position);
  return position;
}

VTermPtr make_terminal(int rows, int cols) {
  VTermPtr terminal(vterm_new(rows, cols));
  vterm_set_utf8(terminal.get(), 1);
  vterm_screen_enable_altscreen(vterm_obtain_screen(terminal.get()), 1);
  vterm_screen_reset(vterm_obtain_screen(terminal.get()), 1);
  return terminal;
}

void append_cell(std::string& text, const VTermScreenCell& cell) {
  if (cell.chars[0] == 0) {
    text += ' ';
  }
  for (const std::uint32_t character : cell.chars) {
    if (character == 0) {
      break;
    }
    append_utf8(text, character);
  }
}

void trim_blanks(std::string& text) {
  text.erase(text.find_last_not_of(' ') + 1);
}

/// `cell_at(col)` gives the cell at a column.
template <class CellAt>
std::string row_text(int cols, CellAt cell_at) {
  std::string text;
  for (int col = 0; col < cols;) {
    const VTermScreenCell cell = cell_at(col);
    append_cell(text, cell);
    col += std::max<int>(cell.width, 1);  // a wide character covers the next cell
  }
  trim_blanks(text);
  return text;
}

}  // namespace

void FreeVTerm::operator()(VTerm* terminal) const {
  vterm_free(terminal);
}

CharacterWidths::CharacterWidths() : terminal_(make_terminal(1, 8)) {}

std::uint32_t pack_utf8(std::string_view character) {
  std::uint32_t packed = 0;
  for (const char byte : character) {
    packed = packed << 8 | static_cast<unsigned char>(byte);
  }
  return packed;
}

int CharacterWidths::of(std::string_view character) {
  const std::uint32_t packed = pack_utf8(character);
  if (packed == last_) {
    return last_width_;
  }
  const auto [entry, is_new] = known_.try_emplace(packed, 0);
  if (is_new) {
    const std::string probe = "\ra" + std::string(character);  // after an `a`, with which a mark combines
    vterm_input_write(terminal_.get(), probe.data(), probe.size());
    entry->second = cursor(terminal_.get()).col - 1;
  }
  last_ = packed;
  last_width_ = entry->second;
  return last_width_;
}

/// Passes on the sequences that change the screen, in the form that libvterm 0.1.4 knows.
class Screen::Filter {
 public:
  explicit Filter(Screen& screen) : screen_(screen) {}

  void text(std::string_view text) { screen_.send(text); }

  void control(char c) {
    if (is_one_of(c, "\b\v\f\r\x0e\x0f")) {
      screen_.send({&c, 1});
    }
  }

  void escape(char intermediate, char final) {
    if (intermediate == 0 && effect_of_escape(0, final) != Effect::none) {
      screen_.send(std::string("\x1b") + final);
    } else if ((intermediate == '(' || intermediate == ')') && is_one_of(final, kCharacterSets)) {
      screen_.send(std::string("\x1b") + intermediate + final);
    }
  }

  void csi(std::string_view parameters, char final) {
    const Csi csi = parse_csi(parameters, final);
    if (effect_of(csi) == Effect::none) {
      return;
    }
    if (final == 'h' || final == 'l') {
      set_modes(csi);
    } else if (final == 's' || final == 'u') {  // libvterm: margins, and nothing
      screen_.send(final == 's' ? "\x1b"
                                  "7"
                                : "\x1b"
                                  "8");
    } else {
      send_csi(csi);
    }
  }

 private:
  void set_modes(const Csi& csi) {
    for (std::size_t i = 0; i < csi.count; ++i) {
      Csi one = csi;
      one.count = 1;
      one.numbers = {csi.numbers[i]};
      if (const auto alternate = switches_screen(one)) {
        screen_.switch_to(*alternate);
      } else if (effect_of(one) != Effect::none) {
        send_csi(one);
      }
    }
  }

  void send_csi(const Csi& csi) {
    std::string bytes = "\x1b[";
    if (csi.leader != 0) {
      bytes += csi.leader;
    }
    for (std::size_t i = 0; i < csi.count; ++i) {
      bytes += (i > 0 ? ";" : "") + std::to_string(csi.numbers[i]);
    }
    screen_.send(bytes + csi.final);
  }

  Screen& screen_;
};

struct Screen::Callbacks {
  static int push_line(int cols, const VTermScreenCell* cells, void* screen) {
    static_cast<Screen*>(screen)->scrolled_.push_back(
        row_text(cols, [cells](int col) { return cells[col]; }));
    return 1;
  }
};

Screen::Screen(int cols) : cols_(cols), terminal_(make_terminal(kScreenRows, cols)) {
  static constexpr VTermScreenCallbacks kCallbacks = [] {
    VTermScreenCallbacks callbacks{};
    callbacks.sb_pushline = Callbacks::push_line;
    return callbacks;
  }();
  vterm_screen_set_callbacks(vterm_obtain_screen(terminal_.get()), &kCallbacks, this);
}

Screen::~Screen() = default;

void Screen::send(std::string_view bytes) {
  vterm_input_write(terminal_.get(), bytes.data(), bytes.size());
}

void Screen::write(std::string_view bytes) {
  Filter filter(*this);
  AnsiParser<Filter> parser;
  feed_in_steps(parser, bytes, filter);
  parser.finish(filter);
}

void Screen::write_text(std::string_view text) {
  const bool comes_back = text.size() <= static_cast<std::size_t>(cols_) &&
                          text.find('\t') == std::string_view::npos && !text.ends_with(' ');
  if (comes_back || !at_end()) {
    send(text);
    return;
  }
  KeptLine line{cursor_row(), std::string(text), {}};
  send(text);
  for (std::size_t number = line.first_row; number <= cursor_row(); ++number) {
    line.rows.push_back(row(number));
  }
  kept_.push_back(std::move(line));
}

void Screen::new_line() {
  send(alternate_ ? "\n" : "\r\n");
}

// Saves the cursor itself: libvterm has one place for that, which a program on the alternate screen may use.
void Screen::switch_to(bool alternate) {
  if (alternate == alternate_) {
    return;
  }
  alternate_ = alternate;
  const VTermPos now = cursor(terminal_.get());
  send(alternate ? "\x1b[?1047h" : "\x1b[?1047l");
  if (!alternate) {
    send("\x1b[" + std::to_string(row_before_ + 1) + ";" + std::to_string(col_before_ + 1) + "H");
  }
  row_before_ = now.row;
  col_before_ = now.col;
}

std::size_t Screen::cursor_row() const {
  return scrolled_.size() + static_cast<std::size_t>(cursor(terminal_.get()).row);
}

int Screen::cursor_col() const {
  return cursor(terminal_.get()).col;
}

bool Screen::is_blank(int row) const {
  return vterm_screen_is_eol(vterm_obtain_screen(terminal_.get()), {.row = row, .col = 0}) != 0 ||
         screen_row(row).empty();
}

bool Screen::at_end() const {
  bool blank = !alternate_ && cursor_col() == 0;
  for (int row = cursor(terminal_.get()).row; blank && row < kScreenRows; ++row) {
    blank = is_blank(row);
  }
  return blank;
}

std::string Screen::screen_row(int row) const {
  const VTermScreen* screen = vterm_obtain_screen(terminal_.get());
  return row_text(cols_, [screen, row](int col) {
    VTermScreenCell cell{};
    vterm_screen_get_cell(screen, {.row = row, .col = col}, &cell);
    return cell;
  });
}

std::string Screen::row(std::size_t number) const {
  return number < scrolled_.size() ? scrolled_[number]
                                   : screen_row(static_cast<int>(number - scrolled_.size()));
}

std::vector<std::string> Screen::visible_rows() const {
  std::vector<std::string> rows;
  int last = kScreenRows - 1;
  while (last > cursor(terminal_.get()).row && is_blank(last)) {
    --last;
  }
  for (int row = 0; row <= last; ++row) {
    rows.push_back(screen_row(row));
  }
  return rows;
}

std::string Screen::finish() {
  std::vector<std::string> alternate_rows;
  if (alternate_) {
    alternate_rows = visible_rows();
    switch_to(false);
  }
  std::vector<std::string> rows = std::move(scrolled_);
  scrolled_.clear();
  for (std::string& row : visible_rows()) {
    rows.push_back(std::move(row));
  }
  restore_kept(rows);
  if (!alternate_rows.empty() && rows.back().empty()) {
    rows.pop_back();
  }
  std::move(alternate_rows.begin(), alternate_rows.end(), std::back_inserter(rows));

  std::string text;
  for (const std::string& row : rows) {
    text += row;
    text += '\n';
  }
  text.pop_back();  // the cursor's row is empty when the last line was finished
  return text;
}

void Screen::restore_kept(std::vector<std::string>& rows) const {
  std::map<std::size_t, const KeptLine*> intact;
  for (const KeptLine& line : kept_) {
    const std::size_t end = line.first_row + line.rows.size();
    if (end <= rows.size() && std::equal(line.rows.begin(), line.rows.end(),
                                         rows.begin() + static_cast<std::ptrdiff_t>(line.first_row))) {
      intact[line.first_row] = &line;  // of two lines at one place, the one drawn later
    }
  }
  std::vector<std::string> restored;
  for (std::size_t number = 0; number < rows.size();) {
    const auto line = intact.find(number);
    if (line != intact.end()) {
      restored.push_back(line->second->text);
      number += line->second->rows.size();
    } else {
      restored.push_back(std::move(rows[number++]));
    }
  }
  rows = std::move(restored);
}

}  // namespace terminally
