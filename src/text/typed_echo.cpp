// Finds the echo of what was typed among the bytes that a terminal shows.
#include "text/typed_echo.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <map>
#include <utility>

#include "text/ansi_parser.hpp"

namespace terminally {
namespace {

/// More lines of an input are not looked for.
constexpr std::size_t kMostLines = 1'000;

/// An editor that draws a line in pieces draws no shorter ones. A line that is longer than the other number
/// is not looked for in pieces.
constexpr std::size_t kPiece = 4;
constexpr std::size_t kMostInPieces = 4'096;

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

/// How many of the first letters stand in the line, too.
std::size_t longest_piece(std::string_view letters, std::string_view line) {
  std::size_t longest = 0;
  const std::string_view first = letters.substr(0, kPiece);
  for (std::size_t at = line.find(first); at != std::string_view::npos; at = line.find(first, at + 1)) {
    const std::string_view there = line.substr(at, letters.size());
    const auto differs = std::ranges::mismatch(there, letters).in1;
    longest = std::max(longest, static_cast<std::size_t>(differs - there.begin()));
    if (longest == letters.size()) {
      break;
    }
  }
  return longest;
}

/// Whether an editor has drawn pieces of the line and nothing else, because the line is longer than a row: as
/// far as the row goes, then what is scrolled to, with a mark where something is out of sight (mksh, readline
/// on a dumb terminal), or what has changed (fish). `whole`: to the end of the line.
bool is_in_pieces(std::string_view letters, std::string_view line, bool whole) {
  const auto is_mark = [](char c) { return std::string_view("<>*+").find(c) != std::string_view::npos; };
  if (line.size() > kMostInPieces || line.size() < 2 * kPiece || letters.empty() ||
      !(is_mark(letters.front()) || line.starts_with(letters.substr(0, kPiece)))) {
    return false;
  }
  bool is_drawn = false;
  while (!letters.empty()) {
    const std::size_t size = longest_piece(letters, line);
    if (size < kPiece && is_mark(letters.front())) {
      letters.remove_prefix(1);
      continue;
    }
    if (size < std::min(kPiece, letters.size())) {
      return false;
    }
    is_drawn = !whole || line.ends_with(letters.substr(0, size));
    letters.remove_prefix(size);
  }
  return is_drawn;
}

/// Where the line begins, should the letters end with it, drawn once or more often, the last time in part.
std::size_t drawn_at_end(std::string_view letters, std::string_view line) {
  std::size_t at = letters.find(line);
  for (; at != std::string_view::npos; at = letters.find(line, at + 1)) {
    std::string_view rest = letters.substr(at);
    while (rest.starts_with(line)) {
      rest.remove_prefix(line.size());
    }
    if (line.starts_with(rest)) {
      break;
    }
  }
  return at;
}

/// Where an editor begins to draw the line in pieces, should nothing come behind them: at the cursor, or
/// behind a prompt.
std::size_t where_in_pieces(std::string_view letters, std::string_view line, bool whole, bool at_cursor) {
  constexpr std::size_t kNone = std::string_view::npos;
  for (const std::size_t at : {std::size_t{0}, letters.find(line.substr(0, 2 * kPiece)), letters.find('<')}) {
    const bool is_looked_at = at != kNone && (at == 0 || !at_cursor);
    if (is_looked_at && is_in_pieces(letters.substr(at), line, whole)) {
      return at;
    }
  }
  return kNone;
}

/// Goes through what is shown, and takes each line of the input once where the terminal or a program echoes
/// it, and once where an editor shows it.
class EchoSearch {
 public:
  EchoSearch(std::string_view bytes, const TypedInput& input, bool edited)
      : input_(input),
        edited_(edited),
        shown_(bytes, edited, first_drawn(input, edited)),
        echoed_(input.echoed_by == TypedInput::EchoedBy::nobody ? input.lines.end() : input.lines.begin()),
        shown_again_(input.lines.begin()) {}

  [[nodiscard]] std::vector<EchoRange> ranges() {
    bool first = true;
    for (const Shown::Part& part : shown_.parts) {
      if (part.edited) {
        look_at_edited(part, first);
      } else if (echoed_ != input_.lines.end()) {
        look_at_row(part, first);
      }
      first = false;
    }
    return std::move(ranges_);
  }

 private:
  using Line = std::vector<std::string>::const_iterator;

  [[nodiscard]] static std::string_view first_drawn(const TypedInput& input, bool edited) {
    const bool drawn = !edited && input.echoed_by == TypedInput::EchoedBy::program && !input.lines.empty();
    return drawn ? std::string_view(input.lines.front()) : std::string_view();
  }

  [[nodiscard]] std::string_view letters_of(const Shown::Part& part) const {
    return std::string_view(shown_.letters).substr(part.first, part.last - part.first);
  }

  /// `size` letters of the part, from this one on. An echo that was entered goes on to the end of its part.
  void add(const Shown::Part& part, std::size_t letter, std::size_t size, bool entered) {
    const auto end_of = [this](std::size_t count) { return count == 0 ? 0 : shown_.ends[count - 1]; };
    const std::size_t first = part.first + letter;
    const std::size_t begin = std::max(part.begin, end_of(first));
    ranges_.push_back({begin, entered && !part.open ? part.end : end_of(first + size), false});
  }

  /// The end of what is there may be the beginning of a line of ours.
  void add_beginning(const Shown::Part& part, std::string_view line, std::size_t at_least = 1) {
    const std::string_view letters = letters_of(part);
    for (std::size_t size = std::min(line.size(), letters.size()); part.open && size >= at_least && size > 0;
         --size) {
      if (letters.ends_with(line.substr(0, size))) {
        add(part, letters.size() - size, size, false);
        ranges_.back().open = true;
        return;
      }
    }
  }

  /// Goes on to the next line where all of this one was drawn. False: it was not drawn in pieces.
  [[nodiscard]] bool add_pieces(const Shown::Part& part, Line& line, bool at_cursor) {
    const std::string_view letters = letters_of(part);
    const std::size_t at = where_in_pieces(letters, *line, !part.open, at_cursor);
    if (at == std::string_view::npos) {
      return false;
    }
    add(part, at, letters.size() - at, is_entered(line));
    ranges_.back().open = part.open;
    line += part.open ? 0 : 1;
    return true;
  }

  [[nodiscard]] bool is_entered(Line line) const { return input_.entered || line + 1 != input_.lines.end(); }

  /// What an editor shows until it is left was not printed by a program.
  void look_at_edited(const Shown::Part& part, bool first) {
    const bool is_left_by_enter = first && edited_ && input_.entered;
    if (is_left_by_enter) {
      ranges_.push_back({part.begin, part.end, part.open});
    }
    if (shown_again_ == input_.lines.end()) {
      return;
    }
    const std::string_view letters = letters_of(part);
    const std::size_t found =
        first && edited_ ? letters.find(*shown_again_) : drawn_at_end(letters, *shown_again_);
    if (is_left_by_enter) {  // it may be the line before that was still there
      shown_again_ = found == std::string_view::npos ? shown_again_
                     : input_.pasted                 ? input_.lines.end()
                                                     : shown_again_ + 1;
      return;
    }
    if (found == std::string_view::npos) {
      if (!add_pieces(part, shown_again_, false)) {
        add_beginning(part, *shown_again_);
      }
      return;
    }
    // What it drew in pieces may stand before the line as a whole.
    const std::size_t drawn = where_in_pieces(letters, *shown_again_, !part.open, false);
    const std::size_t begin = std::min(drawn, found);
    add(part, begin, found + shown_again_->size() - begin, is_entered(shown_again_));
    ++shown_again_;
  }

  /// A program that echoes does so where the cursor stands. One that does not may print the same elsewhere.
  void look_at_row(const Shown::Part& part, bool first) {
    const std::string_view letters = letters_of(part);
    const bool at_cursor = first && input_.echoed_by == TypedInput::EchoedBy::program;
    const std::size_t found = letters.find(*echoed_);
    if (found != std::string_view::npos && (found == 0 || !at_cursor)) {
      add(part, found, echoed_->size(), is_entered(echoed_));
      ++echoed_;
      return;
    }
    if (input_.echoed_by == TypedInput::EchoedBy::program && add_pieces(part, echoed_, at_cursor)) {
      return;
    }
    add_beginning(part, *echoed_, at_cursor ? letters.size() : 1);
    if (at_cursor) {
      echoed_ = input_.lines.end();
    }
  }

  const TypedInput& input_;
  const bool edited_;
  const Shown shown_;
  Line echoed_;
  Line shown_again_;
  std::vector<EchoRange> ranges_;
};

}  // namespace

std::vector<std::string> echoed_lines(std::string_view text) {
  std::vector<std::string> lines(1);
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\n' || c == '\r') {
      lines.emplace_back();
    } else if (byte < ' ' && c != '\t') {
      lines.back() += {'^', static_cast<char>(byte ^ 0x40U)};
    } else if (c != ' ' && c != '\t') {
      lines.back() += c;
    }
    if (lines.size() > kMostLines) {
      break;
    }
  }
  std::erase(lines, "");
  return lines;
}

std::string typed_by_keys(const std::vector<std::string>& keys) {
  static const std::map<std::string, char> named = {
      {"space", ' '}, {"enter", '\n'}, {"return", '\n'}, {"c-m", '\n'}, {"c-j", '\n'}};
  std::string text;
  bool known = true;
  const auto drop_unknown = [&] {
    if (!std::exchange(known, true)) {
      text.erase(text.rfind('\n') + 1);  // npos + 1 is 0
    }
  };
  for (const std::string& key : keys) {
    std::string name = key;
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
    const auto found = named.find(name);
    const bool enter = found != named.end() && found->second == '\n';
    if (enter) {
      drop_unknown();
    }
    known = known && (found != named.end() || first_utf8_part(key).bytes == key.size());
    text += found != named.end() ? std::string(1, found->second) : key;
  }
  drop_unknown();
  return text;
}

std::vector<EchoRange> echoes(std::string_view printed, const TypedInput& input, bool late) {
  // An editor that is not left by Enter (vim) shows what its program prints.
  std::vector<EchoRange> ranges = EchoSearch(printed, input, input.edited).ranges();
  if (late && !ranges.empty() && ranges.front().open && input.edited) {
    ranges = EchoSearch(printed, input, false).ranges();
  }
  std::erase_if(ranges, [late](const EchoRange& range) { return late && range.open; });
  return ranges;
}

}  // namespace terminally
