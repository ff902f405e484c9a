#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace terminally {

/// What the bytes show, without blanks, and where in the bytes each letter, row and edited line is.
/// AnsiParser handler.
class Shown {
 public:
  /// Of an edited part: where the cursor went to a row that it had not been in.
  struct RowEnd {
    std::size_t at = 0;       ///< in the bytes, behind the newline
    std::size_t letters = 0;  ///< before it
    bool gone_back = false;   ///< the cursor went up again
  };

  struct Part {
    std::size_t begin = 0;  ///< in the bytes
    std::size_t end = 0;
    std::size_t first = 0;  ///< in `letters`
    std::size_t last = 0;
    bool edited = false;  ///< from the start of a line editor to its end; else a row
    bool open = true;     ///< its end has not come
    bool left = false;    ///< edited: to its end (CSI ? 2004 l); else another began, or it goes on printing
    bool drawn = false;   ///< a row: the cursor was moved, as by an editor
    std::vector<RowEnd> row_ends = {};  // NOLINT(readability-redundant-member-init): g++ wants it named
  };

  /// `drawn_first`: the line that an editor without a start and an end of its own may draw over several rows,
  /// before anything else; empty: none.
  Shown(std::string_view bytes, bool edited, std::string_view drawn_first);

  void text(std::string_view text);
  void control(char c);
  void escape(char intermediate, char final);
  void csi(std::string_view parameters, char final);

  std::string letters;
  std::vector<std::size_t> ends;  ///< of each letter, in the bytes
  std::vector<Part> parts;
  std::vector<std::size_t> jumps;       ///< how many letters came before the cursor was set elsewhere
  std::vector<std::size_t> row_begins;  ///< and before a newline, or none

 private:
  void end_row();
  void end_edited_row();
  void go_up(std::size_t rows);
  void jump();
  void end_awaited_row();
  void close(std::size_t end, bool open);

  std::string_view drawn_first_;
  std::size_t at_ = 0;
  std::size_t row_end_ = 0;  ///< of a row that may be gone back to; 0: none
  int ups_ = 0;              ///< since the last letter, without those that were gone down again
  std::size_t row_ = 0;      ///< of an edited part, in which the cursor is
  Part part_;
};

}  // namespace terminally
