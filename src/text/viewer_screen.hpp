#pragma once

#include <string>
#include <string_view>

#include "text/ansi_parser.hpp"

namespace terminally {

/// Shows a tab's drawing on a person's own terminal as a program there would: never draws over what was on
/// the terminal before, and restores its modes afterwards.
///
/// The input is the output of a PlaybackFilter. Movements upwards end at the row where we began. Before a
/// sequence that addresses the whole screen (the cursor to a row, erase all, margins) the screen moves into
/// the scrollback, as with a shell's C-l, and the drawing gets a page of its own. The alternate screen is
/// entered and left in pairs. Modes of the keyboard and the mouse, tab stops and erasing the scrollback are
/// left out. Any split of the stream gives the same bytes.
class ViewerScreen {
 public:
  /// `rows`: the height of the person's terminal.
  explicit ViewerScreen(int rows) { state_.rows = rows; }

  /// Appends to `out` the bytes for the terminal.
  void feed(std::string_view bytes, std::string& out);

  /// Ends the stream, finished or not: returns to the main screen, restores all modes, and puts the cursor on
  /// a new line below everything that was drawn.
  void finish(std::string& out);

 private:
  struct State {
    int rows = 24;
    bool alternate = false;
    bool own_page = false;
    int row = 0;      ///< the cursor's, counted from where we began; may be too small, never too large
    int deepest = 0;  ///< the lowest row that the cursor was in
    bool at_line_start = true;
    bool saved_cursor = false;
    int saved_row = 0;
    bool margins = false;
    bool origin_mode = false;
    std::string undo;  ///< sequences that restore what was set; they move nothing
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
