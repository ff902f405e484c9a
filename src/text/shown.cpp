#include "text/shown.hpp"

#include <algorithm>
#include <utility>

#include "base/characters.hpp"
#include "text/ansi_parser.hpp"
#include "text/csi.hpp"

namespace terminally {

Shown::Shown(std::string_view bytes, bool edited, std::string_view drawn_first) : drawn_first_(drawn_first) {
  part_.edited = edited;
  row_begins.push_back(0);
  AnsiParser<Shown> parser;
  for (at_ = 1; at_ <= bytes.size(); ++at_) {
    parser.feed(bytes.substr(at_ - 1, 1), *this);
  }
  end_awaited_row();
  close(bytes.size(), true);
}

void Shown::text(std::string_view text) {
  for (const char c : text) {
    if (c == '\n') {
      while (!jumps.empty() && jumps.back() == letters.size()) {
        jumps.pop_back();
      }
      row_begins.push_back(letters.size());
      end_row();
    } else if (c != ' ' && c != '\t') {
      end_awaited_row();
      ups_ = 0;
      letters.push_back(c);
      ends.push_back(at_);
    }
  }
}

void Shown::control(char c) {
  if (c == '\b') {
    jump();
  } else if (c == '\r') {
    jumps.push_back(letters.size());
  }
}

void Shown::escape(char intermediate, char final) {
  if (effect_of_escape(intermediate, final) != Effect::none) {
    jump();
  }
  if (final == 'M') {
    go_up(1);
  }
}

void Shown::csi(std::string_view parameters, char final) {
  const Csi csi = parse_csi(parameters, final);
  if (effect_of(csi) != Effect::none) {
    jump();
  }
  const auto rows = static_cast<std::size_t>(csi.distance());
  if (is_one_of(final, "AF")) {
    go_up(rows);
  } else if (is_one_of(final, "BE")) {
    row_ = std::min(row_ + rows, part_.row_ends.size());
  } else if (is_one_of(final, "Hfd")) {
    go_up(row_);
  }
  const bool on = final == 'h';
  if (parameters == "?2004" && (on || final == 'l') && (on || part_.edited)) {
    end_awaited_row();
    part_.left = !on;
    close(at_, false);
    part_.edited = on;
  }
}

void Shown::end_row() {
  end_awaited_row();
  if (part_.edited) {
    end_edited_row();
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

void Shown::end_edited_row() {
  ++row_;
  if (row_ > part_.row_ends.size()) {
    part_.row_ends.push_back({at_, letters.size(), false});
  }
}

/// The editor goes back to rows that it had gone on from.
void Shown::go_up(std::size_t rows) {
  row_end_ = 0;
  ++ups_;
  row_ -= std::min(row_, rows);
  for (std::size_t row = row_; row < part_.row_ends.size(); ++row) {
    part_.row_ends[row].gone_back = true;
  }
}

void Shown::jump() {
  part_.drawn = true;
  jumps.push_back(letters.size());
}

void Shown::end_awaited_row() {
  if (const std::size_t end = std::exchange(row_end_, 0); end != 0) {
    close(end, false);
  }
}

void Shown::close(std::size_t end, bool open) {
  part_.end = end;
  part_.last = letters.size();
  part_.open = open;
  parts.push_back(std::move(part_));
  part_ = {.begin = end, .first = letters.size(), .edited = parts.back().edited};
  row_ = 0;
}

}  // namespace terminally
