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

std::string without_blanks_at_end(std::string text) {
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

/// The first `cols` columns of a row; `cell_at(col)` gives the cell at a column.
template <class CellAt>
std::string row_text(int cols, CellAt cell_at) {
  std::string text;
  for (int col = 0; col < cols;) {
    const VTermScreenCell cell = cell_at(col);
    append_cell(text, cell);
    col += std::max<int>(cell.width, 1);  // a wide character covers the next cell
  }
  return text;
}

/// Rows as text: the cursor's row is empty where the last line was finished.
std::string joined(const std::vector<std::string>& rows) {
  std::string text;
  for (const std::string& row : rows) {
    text.append(&row == rows.data() ? "" : "\n").append(row);
  }
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

  void text(std::string_view text) {
    std::string shown;
    if (!screen_.sets_.are_plain()) {
      screen_.sets_.append(text, shown);
      text = shown;
    }
    screen_.send(text);
  }

  void control(char c) {
    screen_.sets_.control(c);
    if (is_one_of(c, "\b\v\f\r")) {
      screen_.send({&c, 1});
    }
  }

  void escape(char intermediate, char final) {
    screen_.sets_.escape(intermediate, final);
    if (effect_of_escape(intermediate, final) == Effect::none) {
      return;
    }
    if (final == 'c') {
      screen_.count_cleared_lines();
    }
    screen_.send(std::string("\x1b") + final);
  }

  void csi(std::string_view parameters, char final) {
    const Csi csi = parse_csi(parameters, final);
    screen_.sets_.csi(parameters, final);
    if (effect_of(csi) == Effect::none) {
      return;
    }
    if (clears_screen(csi)) {
      screen_.count_cleared_lines();
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
  [[nodiscard]] bool clears_screen(const Csi& csi) const {
    const VTermPos at = cursor(screen_.terminal_.get());
    return csi.final == 'J' && (csi.numbers[0] == 2 || (csi.numbers[0] == 0 && at.row == 0 && at.col == 0));
  }

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
        without_blanks_at_end(row_text(cols, [cells](int col) { return cells[col]; })));
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

void Screen::write(std::string_view bytes, std::size_t slice_at) {
  Filter filter(*this);
  AnsiParser<Filter> parser;
  if (slice_at <= bytes.size()) {
    feed_in_steps(parser, bytes.substr(0, slice_at), filter);
    begin_slice();
    bytes.remove_prefix(slice_at);
  }
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
  if (!alternate && !slice_due_) {
    if (std::vector<std::string> left = rows_with_text(); !left.empty()) {
      last_screen_ = std::move(left);
    }
  }
  alternate_ = alternate;
  const VTermPos now = cursor(terminal_.get());
  send(alternate ? "\x1b[?1047h" : "\x1b[?1047l");
  if (!alternate) {
    send("\x1b[" + std::to_string(before_.row + 1) + ";" + std::to_string(before_.col + 1) + "H");
  }
  before_ = {now.row, now.col};
  if (slice_due_) {
    mark();
  }
}

void Screen::begin_slice() {
  cleared_lines_ = 0;
  last_screen_.clear();
  slice_due_ = alternate_;
  if (!alternate_) {
    mark();
  }
}

void Screen::mark() {
  slice_due_ = false;
  mark_ = ScreenMark{scrolled_.size(), visible_rows(), cursor_row(),
                     columns(cursor(terminal_.get()).row, cursor_col())};
}

void Screen::count_cleared_lines() {
  for (int row = 0; row < kScreenRows && !alternate_; ++row) {
    const bool counts = !mark_ || scrolled_.size() + static_cast<std::size_t>(row) >= mark_->cursor_row;
    cleared_lines_ += counts && !is_blank(row) ? 1 : 0;
  }
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

std::string Screen::columns(int row, int cols) const {
  const VTermScreen* screen = vterm_obtain_screen(terminal_.get());
  return row_text(cols, [screen, row](int col) {
    VTermScreenCell cell{};
    vterm_screen_get_cell(screen, {.row = row, .col = col}, &cell);
    return cell;
  });
}

std::string Screen::screen_row(int row) const {
  return without_blanks_at_end(columns(row, cols_));
}

std::string Screen::row(std::size_t number) const {
  return number < scrolled_.size() ? scrolled_[number]
                                   : screen_row(static_cast<int>(number - scrolled_.size()));
}

std::vector<std::string> Screen::rows_with_text() const {
  int end = kScreenRows;
  while (end > 0 && is_blank(end - 1)) {
    --end;
  }
  std::vector<std::string> rows;
  rows.reserve(static_cast<std::size_t>(end));
  for (int row = 0; row < end; ++row) {
    rows.push_back(screen_row(row));
  }
  return rows;
}

std::vector<std::string> Screen::visible_rows() const {
  std::vector<std::string> rows = rows_with_text();
  rows.resize(std::max(rows.size(), static_cast<std::size_t>(cursor(terminal_.get()).row) + 1));
  return rows;
}

std::string Screen::finish() {
  std::vector<std::string> alternate_rows;
  if (alternate_) {
    alternate_rows = rows_with_text();
    if (slice_due_) {
      return joined(alternate_rows);
    }
    switch_to(false);
    last_screen_.clear();
  }
  std::vector<std::string> rows = std::move(scrolled_);
  scrolled_.clear();
  std::ranges::move(visible_rows(), std::back_inserter(rows));
  const std::size_t from = mark_ ? mark_->first_drawn(rows) : 0;
  const bool from_cursor = mark_ && from == mark_->cursor_row && from < rows.size();
  const std::size_t unchanged = from_cursor ? unchanged_beginning(rows[from], mark_->to_cursor) : 0;
  rows = restored(std::move(rows), from);
  if (unchanged > 0) {
    rows.front().erase(0, unchanged);
  }
  if (!last_screen_.empty()) {
    alternate_rows.assign(1, std::string(kLastScreen));
    std::ranges::copy_if(last_screen_, std::back_inserter(alternate_rows),
                         [&](const std::string& row) { return alternate_rows.size() > 1 || !row.empty(); });
  }
  if (!alternate_rows.empty() && !rows.empty() && rows.back().empty()) {
    rows.pop_back();
  }
  std::ranges::move(alternate_rows, std::back_inserter(rows));
  return joined(rows);
}

std::vector<std::string> Screen::restored(std::vector<std::string> rows, std::size_t from) const {
  std::map<std::size_t, const KeptLine*> intact;
  for (const KeptLine& line : kept_) {
    const std::size_t end = line.first_row + line.rows.size();
    if (end <= rows.size() && std::equal(line.rows.begin(), line.rows.end(),
                                         rows.begin() + static_cast<std::ptrdiff_t>(line.first_row))) {
      intact[line.first_row] = &line;  // of two lines at one place, the one drawn later
    }
  }
  std::vector<std::string> restored;
  for (std::size_t number = from; number < rows.size();) {
    const auto line = intact.find(number);
    if (line != intact.end()) {
      restored.push_back(line->second->text);
      number += line->second->rows.size();
    } else {
      restored.push_back(std::move(rows[number++]));
    }
  }
  return restored;
}

}  // namespace terminally
