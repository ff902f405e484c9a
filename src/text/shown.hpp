#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "text/ansi_parser.hpp"

namespace terminally {

/// What the bytes show, without blanks, and where in the bytes each letter, row and edited line is.
/// AnsiParser handler.
class Shown {
 public:
  struct Part {
    std::size_t begin = 0;  ///< in the bytes
    std::size_t end = 0;
    std::size_t first = 0;  ///< in `letters`
    std::size_t last = 0;
    bool edited = false;  ///< from the start of a line editor to its end; else a row
    bool open = true;     ///< its end has not come
  };

  /// `drawn_first`: the line that an editor without a start and an end of its own may draw over several rows,
  /// before anything else; empty: none.
  Shown(std::string_view bytes, bool edited, std::string_view drawn_first) : drawn_first_(drawn_first) {
    part_.edited = edited;
    AnsiParser<Shown> parser;
    for (at_ = 1; at_ <= bytes.size(); ++at_) {
      parser.feed(bytes.substr(at_ - 1, 1), *this);
    }
    end_awaited_row();
    close(bytes.size(), true);
  }

  void text(std::string_view text) {
    for (const char c : text) {
      if (c == '\n') {
        end_row();
      } else if (c != ' ' && c != '\t') {
        end_awaited_row();
        ups_ = 0;
        letters.push_back(c);
        ends.push_back(at_);
      }
    }
  }
  void control(char) {}
  void escape(char, char final) {
    if (final == 'M') {
      go_up();
    }
  }
  void csi(std::string_view parameters, char final) {
    if (final == 'A') {
      go_up();
    }
    const bool on = final == 'h';
    if (parameters == "?2004" && (on || final == 'l') && on != part_.edited) {
      end_awaited_row();
      close(at_, false);
      part_.edited = on;
    }
  }

  std::string letters;
  std::vector<std::size_t> ends;  ///< of each letter, in the bytes
  std::vector<Part> parts;

 private:
  void end_row() {
    end_awaited_row();
    if (part_.edited) {
      return;
    }
    const bool goes_back = !drawn_first_.empty() && parts.empty() && !letters.ends_with(drawn_first_);
    if (goes_back && ups_ > 0) {
      --ups_;
      return;
    }
    row_end_ = at_;
    if (!goes_back) {
      end_awaited_row();
    }
  }

  /// The editor goes back to a row that it had gone on from.
  void go_up() {
    row_end_ = 0;
    ++ups_;
  }

  void end_awaited_row() {
    if (const std::size_t end = std::exchange(row_end_, 0); end != 0) {
      close(end, false);
    }
  }

  void close(std::size_t end, bool open) {
    part_.end = end;
    part_.last = letters.size();
    part_.open = open;
    parts.push_back(part_);
    part_ = {.begin = end, .first = letters.size(), .edited = part_.edited};
  }

  std::string_view drawn_first_;
  std::size_t at_ = 0;
  std::size_t row_end_ = 0;  ///< of a row that may be gone back to; 0: none
  int ups_ = 0;              ///< since the last letter, without those that were gone down again
  Part part_;
};

}  // namespace terminally
