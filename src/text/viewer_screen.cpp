// Plays a tab's drawing on a person's terminal without drawing over what was there before.
#include "text/viewer_screen.hpp"

#include <algorithm>
#include <charconv>

#include "base/characters.hpp"

namespace terminally {
namespace {

/// Rows are counted no further: no terminal keeps so many, and an int holds the sum of two such counts.
constexpr int kMostRows = 1'000'000;

/// The number at `parameters`, or `otherwise` where there is none.
int first_number(std::string_view parameters, int otherwise) {
  constexpr int kFarthest = 10'000;  // no terminal has more rows
  int number = 0;
  const auto [end, error] = std::from_chars(parameters.data(), parameters.data() + parameters.size(), number);
  return error == std::errc() && number > 0 ? std::min(number, kFarthest) : otherwise;
}

std::string csi_text(std::string_view parameters, char final) {
  std::string text = "\033[";
  text += parameters;
  text += final;
  return text;
}

}  // namespace

void ViewerScreen::Player::undo_later(std::string_view sequence) {
  if (state.undo.find(sequence) == std::string::npos) {
    state.undo += sequence;
  }
}

void ViewerScreen::Player::take_page() {
  if (!state.own_page && !state.alternate) {
    out += '\r' + csi_text(std::to_string(state.rows), 'B');  // text may stand below the cursor, too
    out.append(static_cast<std::size_t>(state.rows), '\n');
    out += "\033[H";
    state.own_page = true;
    state.row = 0;
    state.deepest = 0;
  }
}

/// Counts rows that the cursor moved down, into our part of the screen.
void ViewerScreen::Player::down(int rows) {
  state.row += rows;
  state.deepest = std::max(state.deepest, state.row);
}

/// Counts a movement down only as far as something was drawn, because the screen may end anywhere below.
void ViewerScreen::Player::lower_within_page(int rows) {
  state.row = std::max(state.row, std::min(state.row + rows, state.deepest));
}

void ViewerScreen::Player::up(int rows, char final) {
  const int allowed = state.own_page ? rows : std::min(rows, state.row);
  state.row = std::max(0, state.row - allowed);
  if (allowed > 0) {
    out += csi_text(std::to_string(allowed), 'A');
  }
  if (final == 'F') {
    out += '\r';
  }
}

void ViewerScreen::Player::save_cursor() {
  state.saved_cursor = true;
  state.saved_row = state.row;
  out += "\0337";
}

/// Does not go to a place that another program saved.
void ViewerScreen::Player::restore_cursor() {
  if (state.saved_cursor) {
    state.row = state.saved_row;
    out += "\0338";
  }
}

void ViewerScreen::Player::leave_alternate() {
  if (state.margins) {  // both screens of a terminal share them
    out += "\033[r";
  }
  if (state.origin_mode) {
    out += "\033[?6l";
  }
  state.margins = state.origin_mode = state.alternate = state.saved_cursor = false;
  out += "\033[?1049l";
}

void ViewerScreen::Player::reset() {
  if (state.alternate) {
    leave_alternate();
  }
  take_page();
  out += "\033[!p\033[r\033[m\033[H\033[2J";
  state.margins = state.origin_mode = state.saved_cursor = false;
  state.row = 0;
}

void ViewerScreen::Player::text(std::string_view text) {
  out += text;
  const auto lines = std::min<std::ptrdiff_t>(std::ranges::count(text, '\n'), kMostRows);
  if (!text.empty() && !state.alternate) {
    down(static_cast<int>(lines));
    state.row = std::min(state.row, kMostRows);
    state.deepest = std::min(state.deepest, kMostRows);
    const std::size_t drawn = text.find_last_not_of("\r\n");
    state.at_line_start = text.ends_with('\n') || (state.at_line_start && drawn == std::string_view::npos);
  }
}

void ViewerScreen::Player::control(char c) {
  out += c;
  if (is_one_of(c, "\v\f") && !state.alternate) {
    down(1);
  } else if (is_one_of(c, "\x0e\x0f")) {
    undo_later("\017");
  }
}

void ViewerScreen::Player::escape(char intermediate, char final) {
  if (intermediate != 0) {
    if (intermediate == '#' && final == '8') {
      take_page();  // fills the screen
    } else if (intermediate == '(') {
      undo_later("\033(B");
    }
    out += {kEscape, intermediate, final};
    return;
  }
  switch (final) {
    case '7':
      return save_cursor();
    case '8':
      return restore_cursor();
    case 'c':
      return reset();
    case 'D':
    case 'E':
      out += {kEscape, final};
      return state.alternate ? void() : down(1);
    case 'M':
      if (state.alternate || state.own_page) {
        out += "\033M";
        state.row = std::max(0, state.row - 1);
      } else {
        up(1, 'A');
      }
      return;
    default:
      if (is_one_of(final, "NOno")) {
        undo_later("\017");
        out += {kEscape, final};
      }
  }
}

void ViewerScreen::Player::mode(int number, bool on) {
  const std::string sequence = "\033[?" + std::to_string(number) + (on ? "h" : "l");
  switch (number) {
    case 47:
    case 1047:
    case 1049:
      if (on && !state.alternate) {
        out += "\033[?1049h";  // 1049 saves the cursor, too
        state.alternate = true;
        state.saved_cursor = false;
      } else if (!on && state.alternate) {
        leave_alternate();
      }
      return;
    case 1048:
      return on ? save_cursor() : restore_cursor();
    case 6:
      take_page();
      state.origin_mode = on;
      out += sequence;
      return;
    case 5:
    case 2026:
      undo_later("\033[?" + std::to_string(number) + "l");
      out += sequence;
      return;
    case 7:
    case 25:
      undo_later("\033[?" + std::to_string(number) + "h");
      out += sequence;
      return;
    default:
      return;  // how keys and the mouse are reported, 80 or 132 columns: left to the person
  }
}

void ViewerScreen::Player::csi(std::string_view parameters, char final) {
  if (parameters.starts_with('?') && is_one_of(final, "hl")) {
    std::string_view numbers = parameters.substr(1);
    while (!numbers.empty()) {
      const std::string_view one = numbers.substr(0, numbers.find(';'));
      mode(first_number(one, 0), final == 'h');
      numbers.remove_prefix(std::min(numbers.size(), one.size() + 1));
    }
    return;
  }
  if (!parameters.empty() && parameters.back() < '0') {  // "!p", " q"
    undo_later(final == 'q' ? "\033[0 q" : "");
    state.saved_cursor = state.saved_cursor && final == 'q';
    out += csi_text(parameters, final);
    return;
  }
  plain_csi(parameters, final);
}

void ViewerScreen::Player::plain_csi(std::string_view parameters, char final) {
  const int count = first_number(parameters, 1);
  switch (final) {
    case 'A':
    case 'F':
      if (!state.alternate) {
        return up(count, final);
      }
      break;
    case 'B':
    case 'E':
    case 'e':
      lower_within_page(state.alternate ? 0 : count);
      break;
    case 'H':
    case 'f':
    case 'd':
      take_page();
      state.row = state.alternate ? state.row : std::min(count, state.rows) - 1;
      state.deepest = std::max(state.deepest, state.row);
      break;
    case 'J': {
      const int what = first_number(parameters.substr(parameters.starts_with('?') ? 1 : 0), 0);
      if (what == 3) {
        return;  // the scrollback is the person's
      }
      if (what != 0) {
        take_page();
      }
      break;
    }
    case 'S':
    case 'T':
      take_page();
      break;
    case 'r':
      take_page();
      state.margins = true;
      state.row = state.alternate ? state.row : 0;
      break;
    case 's':
      return save_cursor();
    case 'u':
      return restore_cursor();
    case 'm':
      undo_later("\033[m");
      break;
    case 'h':
    case 'l':
      if (parameters != "4") {
        return;
      }
      undo_later("\033[4l");
      break;
    case 'g':
      return;  // tab stops
    default:
      break;
  }
  out += csi_text(parameters, final);
}

void ViewerScreen::feed(std::string_view bytes, std::string& out) {
  Player player{state_, out};
  parser_.feed(bytes, player);
}

void ViewerScreen::finish(std::string& out) {
  Player player{state_, out};
  parser_.finish(player);
  if (state_.alternate) {
    player.leave_alternate();
  }
  out += state_.undo;
  if (state_.origin_mode) {
    out += "\033[?6l" + csi_text(std::to_string(state_.row + 1), 'd');  // the cursor went to the first row
  }
  if (state_.margins) {
    out += "\0337\033[r\0338";
  }
  if (state_.deepest > state_.row) {
    out += csi_text(std::to_string(state_.deepest - state_.row), 'B');
    state_.at_line_start = false;
  }
  out += state_.at_line_start ? "\r" : "\r\n";
}

}  // namespace terminally
