#pragma once

#include <string>
#include <string_view>

#include "text/ansi_parser.hpp"

namespace terminally {

/// A tab's drawing, shown on a person's own terminal, main screen and all, as a program of theirs would: what
/// was on it before is never drawn over, and afterwards its modes are as they were.
///
/// Takes what a PlaybackFilter has let through. Movements upwards end where we began. What addresses the
/// whole screen (the cursor to a row, erase all, margins) first gets a page of its own: the screen so far
/// moves into the scrollback, as with a shell's C-l. The alternate screen is entered and left in pairs.
/// Modes of the keyboard and the mouse, tab stops and the erasing of the scrollback are left out.
/// Any split of the stream gives the same bytes.
class ViewerScreen {
 public:
  /// `rows`: of the person's terminal.
  explicit ViewerScreen(int rows) { state_.rows = rows; }

  /// A page of its own from the first byte on: for what began on an empty screen.
  void take_page(std::string& out);

  /// Appends to `out` what the terminal is to be sent.
  void feed(std::string_view bytes, std::string& out);

  /// The stream ends here, finished or not: back to the main screen, all modes as they were, the cursor on a
  /// new line below everything that was drawn.
  void finish(std::string& out);

 private:
  struct State {
    int rows = 24;
    bool alternate = false;
    bool own_page = false;
    int row = 0;      ///< of the cursor, from where we began; never more than it is
    int deepest = 0;  ///< the lowest that it was
    bool at_line_start = true;
    bool saved_cursor = false;
    int saved_row = 0;
    bool margins = false;
    bool origin_mode = false;
    std::string undo;  ///< sequences that take back what was set and moves nothing
  };

  struct Player {
    State& state;
    std::string& out;

    void text(std::string_view text);
    void control(char c);
    void escape(char intermediate, char final);
    void csi(std::string_view parameters, char final);

    void take_page();
    void down(int rows);
    void up(int rows, char final);
    void lower_within_page(int rows);
    void save_cursor();
    void restore_cursor();
    void leave_alternate();
    void reset();
    void mode(int number, bool on);
    void undo_later(std::string_view sequence);
    void plain_csi(std::string_view parameters, char final);
  };

  State state_;
  AnsiParser<Player> parser_;
};

}  // namespace terminally
