// Searches a stream for a pattern: many short lines at once, long lines in pieces.
#include "text/pattern_scan.hpp"

#include <algorithm>
#include <cstring>

#include "base/utf8.hpp"
#include "text/ansi.hpp"

namespace terminally {
namespace {

/// How many bytes of lines are searched at once; this bounds a `[^x]*` that runs over lines.
constexpr std::size_t kManyBytes = std::size_t{16} * 1024;
/// Longer lines are searched one by one, because the time for a line may grow with the square of its length.
constexpr std::size_t kLongLine = 1'024;
/// A line that exceeds a piece by less than this is not divided, so that a piece always ends on a border.
constexpr std::size_t kPieceSlack = kMaxSequenceBytes + 4;
/// Steps that a window of a long line may take, places times bytes.
constexpr std::size_t kWindowSteps = 1 << 20;
constexpr std::size_t kSmallestWindow = 16;

bool is_text(char c) {
  return (c >= ' ' && c <= '~') || c == '\n' || c == '\t';
}

/// Whether one of eight bytes is a control, DEL or beyond ASCII.
bool has_special(std::uint64_t word) {
  constexpr std::uint64_t kOnes = 0x0101010101010101U;
  const std::uint64_t is_del = (word ^ (0x7FU * kOnes)) - kOnes;
  const std::uint64_t is_c0 = word - (0x20U * kOnes);
  return ((word | is_del | is_c0) & (0x80U * kOnes)) != 0;
}

/// How many bytes at the start stripping leaves as they are, but for the CR of a CRLF.
std::size_t plain_prefix(std::string_view bytes) {
  std::size_t i = 0;
  while (i < bytes.size()) {
    for (std::uint64_t word = 0; i + sizeof word <= bytes.size(); i += sizeof word) {
      std::memcpy(&word, bytes.data() + i, sizeof word);
      if (has_special(word)) {
        break;
      }
    }
    for (std::size_t left = 8; left > 0 && i < bytes.size(); --left, ++i) {
      if (!is_text(bytes[i]) && !bytes.substr(i).starts_with("\r\n")) {
        return i;
      }
    }
  }
  return i;
}

std::string_view without_cr(std::string_view line) {
  return line.ends_with('\r') ? line.substr(0, line.size() - 1) : line;
}

/// A character, an invalid part, or a byte of a sequence: where it lies in raw bytes, and in their text.
struct Unit {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t text_begin = 0;
  std::size_t text_end = 0;
};

/// Calls `visit(Unit)` for each, until that returns false.
template <class Visit>
void for_each_unit(std::string_view bytes, Visit visit) {
  AnsiStripper stripper;
  std::string text;
  Unit unit;
  while (unit.end < bytes.size()) {
    unit.begin = unit.end;
    unit.end += first_utf8_part(bytes.substr(unit.begin)).bytes;
    unit.text_begin = unit.text_end;
    text.clear();
    stripper.feed(bytes.substr(unit.begin, unit.end - unit.begin), text);
    unit.text_end += text.size();
    if (!visit(unit)) {
      return;
    }
  }
}

}  // namespace

std::size_t raw_position(std::string_view bytes, std::size_t text_at) {
  std::size_t position = 0;
  for_each_unit(bytes, [&](const Unit& unit) {
    if (unit.text_end > text_at) {
      position = unit.begin;
      return false;
    }
    position = unit.text_end > unit.text_begin ? unit.end : position;
    return true;
  });
  return position;
}

std::size_t text_position(std::string_view bytes, std::size_t raw_at) {
  std::size_t position = 0;
  for_each_unit(bytes, [&](const Unit& unit) {
    position = unit.begin < raw_at ? unit.text_end : unit.text_begin;
    return unit.begin < raw_at;
  });
  return position;
}

PatternScan::PatternScan(Pattern& pattern, std::uint64_t line_begin, std::uint64_t from)
    : pattern_(pattern), base_(line_begin), from_(from) {}

void PatternScan::feed(std::string_view bytes) {
  piece_.reset();
  buffer_.erase(0, pos_);
  base_ += pos_;
  plain_to_ -= std::min(plain_to_, pos_);
  pos_ = 0;
  buffer_ += bytes;
  odd_there_ = false;  // a CR at the end may have got its newline
}

void PatternScan::skip_to(std::uint64_t next) {
  piece_.reset();
  buffer_.clear();
  base_ = next;
  pos_ = plain_to_ = 0;
  odd_there_ = in_line_ = false;
}

PatternScan::Step PatternScan::next(Clock::time_point until) {
  for (;;) {
    if (!piece_ && !open_piece()) {
      return Step::needs_more;
    }
    const bool unfinished = piece_->unfinished;
    if (piece_->many ? search_many() : search_piece()) {
      return Step::found;
    }
    if (!piece_ && unfinished) {
      return Step::needs_more;
    }
    if (Clock::now() >= until) {
      return Step::out_of_time;
    }
  }
}

void PatternScan::look_for_odd_bytes() {
  if (plain_to_ < pos_) {
    plain_to_ = pos_;
    odd_there_ = false;
  }
  if (!odd_there_) {
    plain_to_ += plain_prefix(std::string_view(buffer_).substr(plain_to_));
    odd_there_ = true;
  }
}

bool PatternScan::open_piece() {
  if (pos_ == buffer_.size()) {
    return false;
  }
  look_for_odd_bytes();
  return open_many() || open_line();
}

/// How many bytes from pos_ on, up to `end`, are whole lines that may be searched at once.
std::size_t PatternScan::whole_lines(std::size_t end) const {
  const std::string_view bytes = std::string_view(buffer_).substr(pos_, std::min(end - pos_, kManyBytes));
  const std::size_t size = bytes.rfind('\n') + 1;  // npos + 1 is 0
  for (std::size_t at = 0; at + kLongLine <= size; at += kLongLine) {
    if (bytes.substr(at, kLongLine).find('\n') == std::string_view::npos) {
      return bytes.rfind('\n', at) + 1;
    }
  }
  return size;
}

bool PatternScan::open_many() {
  if (!pattern_.fits_many_lines() || in_line_ || base_ + pos_ < from_) {
    return false;
  }
  std::size_t size = whole_lines(plain_to_);
  const bool plain = size > 0;
  size = plain ? size : whole_lines(buffer_.size());
  if (size == 0) {
    return false;
  }
  const std::string_view bytes = std::string_view(buffer_).substr(pos_, size);
  if (!plain) {
    strip(bytes, true);
  }
  piece_ = Piece{.begin = pos_, .end = pos_ + size, .next = pos_ + size, .many = true, .plain = plain};
  piece_->text = plain ? bytes : text_;
  piece_->raw_at = pos_;
  return true;
}

bool PatternScan::open_line() {
  const std::string_view rest = std::string_view(buffer_).substr(pos_);
  const std::size_t newline = rest.substr(0, kPieceBytes + kPieceSlack).find('\n');
  Piece piece{.begin = pos_, .begins_line = !in_line_};
  if (newline != std::string_view::npos) {
    piece.end = pos_ + newline;
    piece.next = piece.end + 1;
  } else if (rest.size() >= kPieceBytes + kPieceSlack) {
    const std::size_t size = safe_cut(rest.substr(0, kPieceBytes), true);
    piece.end = pos_ + size;
    piece.next = pos_ + std::max<std::size_t>(safe_cut(rest.substr(0, size - kOverlapBytes), true), 1);
    piece.ends_line = false;
  } else {
    piece.end = piece.next = buffer_.size();
    piece.unfinished = true;
  }
  set_text(piece);
  piece_ = piece;
  return true;
}

void PatternScan::strip(std::string_view bytes, bool finished) {
  text_.clear();
  AnsiStripper stripper;
  stripper.feed(bytes, text_);
  if (finished) {
    stripper.finish(text_);
  }
}

void PatternScan::set_text(Piece& piece) {
  const std::string_view bytes = std::string_view(buffer_).substr(piece.begin, piece.end - piece.begin);
  piece.plain = plain_to_ >= piece.end;
  if (piece.plain) {
    piece.text = without_cr(bytes);
  } else {
    strip(bytes, !piece.unfinished);
    piece.text = text_;
  }
  if (const std::uint64_t begin = base_ + piece.begin; begin < from_) {
    const auto before = static_cast<std::size_t>(std::min<std::uint64_t>(from_ - begin, bytes.size()));
    piece.at = std::min(piece.plain ? before : text_position(bytes, before), piece.text.size());
  }
  const std::size_t most = std::max(kWindowSteps / (piece.text.size() + 1), kSmallestWindow);
  piece.window = piece.text.size() <= kLongLine ? piece.text.size() + 1 : std::min(window_, most);
}

void PatternScan::close_piece(std::size_t next) {
  if (!piece_->unfinished) {
    pos_ = next;
    in_line_ = !piece_->ends_line;
  }
  piece_.reset();
}

bool PatternScan::search_piece() {
  Piece& piece = *piece_;
  const auto began = Clock::now();
  const bool last = piece.at + piece.window > piece.text.size();
  const auto match =
      pattern_.find({.text = piece.text, .begins_line = piece.begins_line, .ends_line = piece.ends_line},
                    piece.at, last ? Pattern::kNoLimit : piece.at + piece.window - 1);
  if (match) {
    report(piece, *match);
    const std::size_t match_end =
        piece.begin +
        (piece.plain ? match->end
                     : raw_position(std::string_view(buffer_).substr(piece.begin, piece.end - piece.begin),
                                    match->end));
    close_piece(piece.ends_line ? piece.next : std::max(piece.next, match_end));
    return true;
  }
  if (last) {
    close_piece(piece.next);
    return false;
  }
  piece.at += piece.window;
  while (piece.at < piece.text.size() && (static_cast<unsigned char>(piece.text[piece.at]) & 0xC0U) == 0x80) {
    ++piece.at;
  }
  const auto took = Clock::now() - began;
  if (took > Milliseconds(1)) {
    piece.window = std::max(piece.window / 2, kSmallestWindow);
  } else if (took < std::chrono::microseconds(250)) {
    piece.window *= 2;
  }
  window_ = piece.window;
  return false;
}

/// Takes the line around `text_at` out of `many`, whose search goes on after that line. Newlines are text, so
/// lines can be counted in raw bytes and in text alike.
PatternScan::Piece PatternScan::take_line(Piece& many, std::size_t text_at) const {
  std::size_t begin = many.at;
  for (std::size_t newline = 0; (newline = many.text.find('\n', begin)) < text_at; begin = newline + 1) {
    many.raw_at = buffer_.find('\n', many.raw_at) + 1;
  }
  const std::size_t newline = many.text.find('\n', begin);
  Piece line{.begin = many.raw_at, .end = buffer_.find('\n', many.raw_at)};
  line.next = line.end + 1;
  line.plain = many.plain;
  line.text = without_cr(many.text.substr(begin, newline - begin));
  many.at = newline + 1;
  many.raw_at = line.next;
  return line;
}

bool PatternScan::search_many() {
  Piece& piece = *piece_;
  const auto candidate = pattern_.find({.text = piece.text}, piece.at);
  if (!candidate || candidate->begin == piece.text.size()) {
    close_piece(piece.next);
    return false;
  }
  const Piece line = take_line(piece, candidate->begin);
  const auto match = pattern_.find({.text = line.text});
  if (match) {
    report(line, *match);
  }
  pos_ = line.next;
  if (piece.at == piece.text.size()) {
    close_piece(piece.next);
  }
  return match.has_value();
}

void PatternScan::report(const Piece& piece, Pattern::Match match) {
  const std::string_view bytes = std::string_view(buffer_).substr(piece.begin, piece.end - piece.begin);
  const std::uint64_t begin = base_ + piece.begin;
  found_.line_begin = begin;
  found_.line_end = base_ + (piece.ends_line ? piece.next : piece.end);
  found_.byte = begin + (piece.plain ? match.begin : raw_position(bytes, match.begin));
  found_.text = piece.text;
  found_.match = match;
  found_.unfinished = piece.unfinished;
}

}  // namespace terminally
