#include "text/viewer_screen.hpp"

#include <doctest/doctest.h>
#include <vterm.h>

#include <memory>
#include <random>
#include <string>
#include <vector>

using namespace terminally;

namespace {

constexpr int kRows = 12;
constexpr int kCols = 40;

/// A terminal that, like xterm, puts the cursor where it once was saved when a program leaves an alternate
/// screen that it never entered.
class PlainTerminal {
 public:
  PlainTerminal() : terminal_(vterm_new(kRows, kCols), vterm_free) {
    vterm_set_utf8(terminal_.get(), 1);
    screen_ = vterm_obtain_screen(terminal_.get());
    callbacks_.sb_pushline = [](int cols, const VTermScreenCell* cells, void* user) {
      std::string row;
      for (int i = 0; i < cols; ++i) {
        row += cells[i].chars[0] == 0 ? ' ' : static_cast<char>(cells[i].chars[0]);
      }
      static_cast<PlainTerminal*>(user)->scrolled_.push_back(without_blanks(row));
      return 1;
    };
    callbacks_.settermprop = [](VTermProp property, VTermValue* value, void* user) {
      auto* self = static_cast<PlainTerminal*>(user);
      if (property == VTERM_PROP_CURSORVISIBLE) {
        self->cursor_visible = value->boolean != 0;
      } else if (property == VTERM_PROP_ALTSCREEN) {
        self->alternate = value->boolean != 0;
      }
      return 1;
    };
    vterm_screen_set_callbacks(screen_, &callbacks_, this);
    vterm_screen_enable_altscreen(screen_, 1);
    vterm_screen_reset(screen_, 1);
  }

  void show(const std::string& bytes) { vterm_input_write(terminal_.get(), bytes.data(), bytes.size()); }

  /// Everything that can still be seen, from the oldest row of the scrollback on.
  [[nodiscard]] std::vector<std::string> rows() const {
    std::vector<std::string> all = scrolled_;
    for (int row = 0; row < kRows; ++row) {
      std::string text;
      for (int col = 0; col < kCols; ++col) {
        VTermScreenCell cell;
        vterm_screen_get_cell(screen_, {row, col}, &cell);
        text += cell.chars[0] == 0 || cell.chars[0] > 126 ? ' ' : static_cast<char>(cell.chars[0]);
      }
      all.push_back(without_blanks(text));
    }
    while (!all.empty() && all.back().empty()) {
      all.pop_back();
    }
    return all;
  }

  [[nodiscard]] int column() const {
    VTermPos at;
    vterm_state_get_cursorpos(vterm_obtain_state(terminal_.get()), &at);
    return at.col;
  }

  bool cursor_visible = true;
  bool alternate = false;

 private:
  static std::string without_blanks(std::string text) {
    text.erase(text.find_last_not_of(' ') + 1);
    return text;
  }

  std::unique_ptr<VTerm, decltype(&vterm_free)> terminal_;
  VTermScreen* screen_ = nullptr;
  VTermScreenCallbacks callbacks_{};
  std::vector<std::string> scrolled_;
};

std::string shown(const std::vector<std::string>& pieces) {
  ViewerScreen screen(kRows);
  std::string out;
  for (const std::string& piece : pieces) {
    screen.feed(piece, out);
  }
  screen.finish(out);
  return out;
}

/// A terminal with a person's `rows`, and what the drawing made of it.
struct After {
  explicit After(const std::string& drawing, int rows = 7) {
    for (int i = 0; i < rows; ++i) {
      before.push_back("the person's row " + std::to_string(i));
      terminal.show(before.back() + "\r\n");
    }
    terminal.show(shown({drawing}));
  }

  [[nodiscard]] bool all_there() const {
    const auto rows = terminal.rows();
    return rows.size() >= before.size() && std::equal(before.begin(), before.end(), rows.begin());
  }

  /// Whether all that is printed afterwards, more than a screen of it, comes in its order and stays.
  [[nodiscard]] bool goes_on() {
    std::vector<std::string> lines;
    for (int i = 0; i < 2 * kRows; ++i) {
      lines.push_back("afterwards " + std::to_string(i));
      terminal.show(lines.back() + "\033[K\r\n");
    }
    const auto rows = terminal.rows();
    return all_there() && rows.size() >= lines.size() &&
           std::equal(lines.rbegin(), lines.rend(), rows.rbegin());
  }

  PlainTerminal terminal;
  std::vector<std::string> before;
};

}  // namespace

TEST_CASE("U4: a drawing leaves what was on the person's screen where it is") {
  for (const char* drawing : {
           "hello\r\n",
           "",
           "\033[?1049l",                // a full-screen program was killed in the tab
           "\033[A\033[A\033[2Kup",      // our own line is replaced by the command
           "\033[H\033[2J\033[3Jclear",  // clear
           "\033[5;3Hplaced",            // a status line
           "\033[?1049h\033[Hvim\033[?1049l",
           "\033[?1049h\033[H\033[2;5rbroken off",
           "\0338restored",
           "\033[uxx",
           "\033c\033[3gall new",
           "\033[3T\033[2S\033[1J",
           "\033[?6h\033[2;5r\033[Horigin",
           "\033[2;5rmargins\r\nthat stay",
           "\033[4h\033[7minserted",
           "a\r\nb\r\nc\033[2A\rA\r\n\033[5Bfar\033[9Aup",
           "\033M\033Mback",
           "\033#8",
           "\033[?3h\033[?3l80 columns",
       }) {
    CAPTURE(drawing);
    After after(drawing);
    CHECK(after.all_there());
    CHECK(after.terminal.column() == 0);
    CHECK(after.terminal.cursor_visible);
    CHECK_FALSE(after.terminal.alternate);
    CHECK(after.goes_on());
  }
}

TEST_CASE("U4: what a program draws above its last row is drawn") {
  const After after("one\r\ntwo\r\nthree\033[2A\rONE\033[2B\rTHREE");
  const std::vector<std::string> rows = after.terminal.rows();
  REQUIRE(rows.size() == 10);
  CHECK(rows[7] == "ONE");
  CHECK(rows[8] == "two");
  CHECK(rows[9] == "THREE");
}

TEST_CASE("U4: what is printed afterwards comes below the last row, wherever the drawing left the cursor") {
  After after("one\r\ntwo\r\nthree\033[2A");
  after.terminal.show("prompt");
  const auto rows = after.terminal.rows();
  REQUIRE(rows.size() >= 4);
  CHECK(std::vector(rows.end() - 4, rows.end()) == std::vector<std::string>{"one", "two", "three", "prompt"});
}

TEST_CASE("U4: cleared, the page begins at the top, and the prompt comes below it") {
  After after("before\r\n\033[H\033[2Jthe page\r\nits end");
  after.terminal.show("prompt");
  const auto rows = after.terminal.rows();
  REQUIRE(rows.size() >= 3);
  CHECK(std::vector(rows.end() - 3, rows.end()) == std::vector<std::string>{"the page", "its end", "prompt"});
  CHECK(std::find(rows.begin(), rows.end(), "before") != rows.end());
}

TEST_CASE("U4: neither keys nor the mouse nor tab stops are changed, and what is changed is changed back") {
  const std::string out =
      shown({"\033[?1h\033=\033[?1000;1006h\033[?2004h\033[?1004h\033[3g\033H\033[20h\033[?25;7l\033[1m"});
  CHECK(out == "\033[?25l\033[?7l\033[1m\033[?25h\033[?7h\033[m\r");
}

TEST_CASE("U4: any split gives the same, and no random drawing costs a person's row") {
  const std::vector<std::string> parts = {
      "text",        "\r\n",     "\n",          "\r",          "\033[A",
      "\033[3A",     "\033[2B",  "\033[9F",     "\033[E",      "\033[H",
      "\033[3;4H",   "\033[5d",  "\033[J",      "\033[1J",     "\033[2J",
      "\033[3J",     "\033[2K",  "\033[?1049h", "\033[?1049l", "\033[?47h",
      "\033[?1047l", "\0337",    "\0338",       "\033[s",      "\033[u",
      "\033[2;6r",   "\033[r",   "\033[?6h",    "\033[?6l",    "\033M",
      "\033D",       "\033E",    "\033c",       "\033#8",      "\033[2S",
      "\033[2T",     "\033[3L",  "\033[2M",     "\033[4h",     "\033[5@",
      "\033[!p",     "\033[7m",  "\033[?25l",   "\b\b",        "\t",
      "\033[30G",    "\033[99C", "\033[99D",    "\v",          std::string(90, 'w')};
  std::mt19937 random(4);  // NOLINT: the same each time
  for (int round = 0; round < 3'000; ++round) {
    std::vector<std::string> pieces;
    std::string drawing;
    bool alternate = false;
    for (unsigned i = 0; i < 1 + random() % 14; ++i) {
      std::string part = parts[random() % parts.size()];
      // libvterm has one saved cursor for both screens; xterm and tmux have one each.
      alternate = part == "\033[?1049h" || part == "\033[?47h" || (alternate && !part.ends_with('l'));
      part = alternate && (part == "\0337" || part == "\033[s") ? "" : part;
      drawing += part;
      pieces.push_back(std::move(part));
    }
    CAPTURE(drawing);
    After after(drawing, static_cast<int>(random() % 20));
    REQUIRE(after.all_there());
    REQUIRE(after.terminal.column() == 0);
    REQUIRE(after.goes_on());
    REQUIRE_FALSE(after.terminal.alternate);
    REQUIRE(shown(pieces) == shown({drawing}));
    const std::size_t split = random() % (drawing.size() + 1);
    REQUIRE(shown({drawing.substr(0, split), drawing.substr(split)}) == shown({drawing}));
  }
}
