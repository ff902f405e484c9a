// Finds the echo of what was typed among the bytes that a terminal shows.
#include "text/typed_echo.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <map>
#include <utility>

#include "base/utf8.hpp"
#include "text/shown.hpp"

namespace terminally {
namespace {

/// More lines of an input are not looked for.
constexpr std::size_t kMostLines = 1'000;

/// An editor that draws a line in pieces draws no shorter ones. A line that is longer than the other number
/// is not looked for in pieces.
constexpr std::size_t kPiece = 4;
constexpr std::size_t kMostInPieces = 4'096;

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

/// Whether the line is too long to stand in a prompt, or behind another word, by chance.
bool is_clear(std::string_view line) {
  return line.size() >= 2 * kPiece;
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
  EchoSearch(std::string_view bytes, const TypedInput& input, bool late)
      : input_(input),
        late_(late),
        shown_(bytes, input.edited, first_drawn(input)),
        echo_(first_echo(input)),
        echoed_(input.lines.begin()),
        shown_again_(input.lines.begin()) {}

  [[nodiscard]] std::vector<EchoRange> ranges() {
    bool first = true;
    for (const Shown::Part& part : shown_.parts) {
      if (part.edited) {
        look_at_edited(part, first && input_.edited);
      } else if (echo_ != Echo::none && echoed_ != input_.lines.end()) {
        look_at_row(part);
      }
      first = false;
    }
    add_behind_prompt();
    return std::move(ranges_);
  }

 private:
  using Line = std::vector<std::string>::const_iterator;

  /// How a row shows a line of the input.
  enum class Echo {
    none,
    at_cursor,    ///< a program that echoes does so there; one that does not may print a short line elsewhere
    by_program,   ///< behind its prompt
    by_terminal,  ///< with the Enter at once: the row ends there
  };

  [[nodiscard]] static Echo first_echo(const TypedInput& input) {
    if (input.echoed_by == TypedInput::EchoedBy::nobody || input.lines.empty()) {
      return Echo::none;
    }
    if (!is_by_program_without_pastes(input)) {
      return Echo::by_terminal;
    }
    return is_clear(input.lines.front()) ? Echo::by_program : Echo::at_cursor;
  }

  [[nodiscard]] static bool is_by_program_without_pastes(const TypedInput& input) {
    return input.echoed_by != TypedInput::EchoedBy::terminal && !input.edited;
  }

  [[nodiscard]] static std::string_view first_drawn(const TypedInput& input) {
    const bool drawn = is_by_program_without_pastes(input) && !input.lines.empty();
    return drawn ? std::string_view(input.lines.front()) : std::string_view();
  }

  [[nodiscard]] std::string_view letters_of(const Shown::Part& part) const {
    return std::string_view(shown_.letters).substr(part.first, part.last - part.first);
  }

  [[nodiscard]] std::size_t end_of(std::size_t letters) const {
    return letters == 0 ? 0 : shown_.ends[letters - 1];
  }

  /// `size` letters of the part, from this one on. An echo that was entered goes on to the end of its part.
  void add(const Shown::Part& part, std::size_t letter, std::size_t size, bool entered) {
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

  [[nodiscard]] bool is_entered(Line line) const { return input_.entered || line + 1 != input_.lines.end(); }

  /// What an editor shows until it is left was not printed by a program. `was_on`: it had begun when the line
  /// was typed, and may still have had the line before.
  void look_at_edited(const Shown::Part& part, bool was_on) {
    if (input_.echoed_by != TypedInput::EchoedBy::nobody) {
      echo_ = Echo::by_terminal;  // once it is left
    }
    if (take_rows(part, was_on)) {
      return;
    }
    const bool is_left_by_enter = was_on && input_.entered && (part.open ? !late_ : part.left);
    if (is_left_by_enter) {
      ranges_.push_back({part.begin, part.end, part.open});
    }
    if (shown_again_ == input_.lines.end()) {
      return;
    }
    if (!part.open) {
      take_left(part, was_on, is_left_by_enter);
    } else if (!is_left_by_enter) {
      add_open(part, was_on);
    }
  }

  /// All that may be pasted at once.
  [[nodiscard]] std::string rest() const {
    std::string lines;
    std::for_each(shown_again_, input_.lines.end(), [&](const std::string& line) { lines += line; });
    return lines;
  }

  /// Where the next line stands, alone or with all that come behind it.
  [[nodiscard]] std::size_t where_whole(std::string_view letters, bool was_on) const {
    const auto where = [&](std::string_view lines) {
      return was_on || is_clear(lines) ? letters.find(lines) : drawn_at_end(letters, lines);
    };
    return std::min(where(*shown_again_), where(rest()));
  }

  /// The lines that begin the letters: one, or several that were pasted.
  [[nodiscard]] std::string drawn_lines(std::string_view letters) const {
    std::string drawn = *shown_again_;
    for (Line next = shown_again_ + 1; next != input_.lines.end() && *next != *(next - 1) &&
                                       letters.substr(drawn.size()).starts_with(*next);
         ++next) {
      drawn += *next;
    }
    return drawn;
  }

  /// An editor that is not left by Enter and goes on printing, as fish's `read` does, has what it shows up to
  /// the newline behind the last line. False: nothing is behind that.
  [[nodiscard]] bool take_rows(const Shown::Part& part, bool was_on) {
    if (part.left || !input_.entered || shown_again_ == input_.lines.end()) {
      return false;
    }
    const std::string_view letters = letters_of(part);
    const std::size_t whole = where_whole(letters, was_on);
    const std::string drawn = whole == std::string_view::npos ? "" : drawn_lines(letters.substr(whole));
    if (drawn.empty() || drawn != rest()) {
      return false;
    }
    const std::size_t last = part.first + whole + drawn.size();
    const auto end = std::ranges::find_if(part.row_ends, [&](const Shown::RowEnd& row) {
      return row.letters >= last && row.letters < part.last;
    });
    if (end == part.row_ends.end() || end->gone_back) {
      return false;
    }
    ranges_.push_back({part.begin, end->at, false});
    shown_again_ = echoed_ = input_.lines.end();
    return true;
  }

  /// An editor that was left: with the lines that it shows, which their terminal echoes no more.
  void take_left(const Shown::Part& part, bool was_on, bool is_covered) {
    const std::string_view letters = letters_of(part);
    const std::size_t whole = where_whole(letters, was_on);
    // It had been left already, which the log did not have yet.
    const bool is_of_before = was_on && input_.echoed_by == TypedInput::EchoedBy::terminal;
    if (is_of_before || (whole == std::string_view::npos &&
                         where_in_pieces(letters, *shown_again_, true, false) == std::string_view::npos)) {
      return;
    }
    if (!is_covered) {
      ranges_.push_back({part.begin, part.end, false});
    }
    std::size_t size = whole == std::string_view::npos ? 1 : drawn_lines(letters.substr(whole)).size();
    for (; size > 0; ++shown_again_) {
      size -= std::min(size, shown_again_->size());
    }
    echoed_ = std::max(echoed_, shown_again_);
  }

  /// An editor that is still on: it may go on drawing the line, and something beside it, until it is left.
  void add_open(const Shown::Part& part, bool was_on) {
    const std::string_view letters = letters_of(part);
    const std::string_view line = *shown_again_;
    const bool is_to_be_left = input_.entered && !late_;
    const std::size_t whole = where_whole(letters, was_on);
    const std::size_t begin = !is_to_be_left ? std::min(whole, where_in_pieces(letters, line, true, false))
                              : is_clear(rest()) ? letters.find(rest().substr(0, kPiece))
                                                 : whole;
    if (begin == std::string_view::npos) {
      add_beginning(part, rest());
      return;
    }
    const std::string drawn = whole == std::string_view::npos ? "" : drawn_lines(letters.substr(whole));
    const bool is_to_end = is_to_be_left || drawn.empty() || drawn_at_end(letters.substr(whole), drawn) == 0;
    add(part, begin, (is_to_end ? letters.size() : whole + drawn.size()) - begin, false);
    ranges_.back().open = is_to_be_left;
  }

  /// What a program draws behind the prompt is a line, or its beginning, however often; and what it prints
  /// there, where that is not there by chance.
  void add_behind_prompt() {
    for (const std::size_t at : shown_.jumps) {
      add_behind_prompt(at, 1);
    }
    for (const std::size_t at : shown_.row_begins) {
      add_behind_prompt(at, kPiece);
    }
  }

  void add_behind_prompt(std::size_t at, std::size_t at_least) {
    const std::string_view drawn = std::string_view(shown_.letters).substr(at);
    if (input_.prompt.empty() || !drawn.starts_with(input_.prompt)) {
      return;
    }
    const std::string_view behind = drawn.substr(input_.prompt.size());
    std::size_t longest = 0;
    for (const std::string& line : input_.lines) {
      const auto same = static_cast<std::size_t>(std::ranges::mismatch(behind, line).in1 - behind.begin());
      longest = std::max(longest, same >= std::min(at_least, line.size()) ? same : 0);
    }
    if (longest > 0) {
      ranges_.push_back({end_of(at), end_of(at + input_.prompt.size() + longest), false});
    }
  }

  void look_at_row(const Shown::Part& part) {
    if (input_.echoed_by == TypedInput::EchoedBy::drawing && !part.drawn) {
      return;
    }
    const std::string_view letters = letters_of(part);
    pass_over_broken(letters, part.open);
    const std::string_view line = *echoed_;
    const bool at_cursor = echo_ == Echo::at_cursor;
    const bool at_end = echo_ == Echo::by_terminal && is_entered(echoed_);
    const std::size_t found = at_end ? letters.rfind(line) : letters.find(line);
    const bool is_there = found != std::string_view::npos && (!at_cursor || found == 0) &&
                          (!at_end || found + line.size() == letters.size());
    if (at_cursor) {
      echo_ = Echo::by_program;
    }
    const bool by_program = input_.echoed_by != TypedInput::EchoedBy::terminal;
    if (by_program && found != 0 && add_pieces(part, at_cursor)) {
      return;
    }
    if (is_there) {
      add(part, found, line.size(), is_entered(echoed_));
      ++echoed_;
      return;
    }
    add_beginning(part, line, at_cursor ? letters.size() : 1);
    if (at_cursor) {
      echo_ = Echo::none;
    }
  }

  /// A terminal that is full of lines that nobody has read breaks the echo of one: another follows then.
  void pass_over_broken(std::string_view letters, bool open) {
    if (echo_ != Echo::by_terminal || letters.ends_with(*echoed_)) {
      return;
    }
    const auto next = std::find_if(echoed_, input_.lines.end(), [&](std::string_view line) {
      return is_clear(line) &&
             (letters.ends_with(line) || (open && is_clear(letters) && line.starts_with(letters)));
    });
    echoed_ = next == input_.lines.end() ? echoed_ : next;
  }

  /// Goes on to the next line where all of this one was drawn. False: it was not drawn in pieces.
  [[nodiscard]] bool add_pieces(const Shown::Part& part, bool at_cursor) {
    const std::string_view letters = letters_of(part);
    const std::size_t at = where_in_pieces(letters, *echoed_, !part.open, at_cursor);
    if (at == std::string_view::npos) {
      return false;
    }
    add(part, at, letters.size() - at, is_entered(echoed_));
    ranges_.back().open = part.open;
    echoed_ += part.open ? 0 : 1;
    return true;
  }

  const TypedInput& input_;
  const bool late_;
  const Shown shown_;
  Echo echo_;
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

std::string prompt_letters(std::string_view log) {
  Shown shown(log.substr(log.rfind('\n') + 1), false, "");  // npos + 1 is 0
  std::erase(shown.jumps, shown.letters.size());
  return shown.letters.substr(shown.jumps.empty() ? 0 : shown.jumps.back());
}

std::vector<EchoRange> echoes(std::string_view printed, const TypedInput& input, bool late) {
  std::vector<EchoRange> ranges = EchoSearch(printed, input, late).ranges();
  std::erase_if(ranges, [late](const EchoRange& range) { return late && range.open; });
  std::ranges::sort(ranges, {}, &EchoRange::begin);
  std::size_t done = 0;
  for (EchoRange& range : ranges) {
    range.begin = std::max(range.begin, done);
    done = std::max(done, range.end);
  }
  std::erase_if(ranges, [](const EchoRange& range) { return range.end <= range.begin; });
  return ranges;
}

}  // namespace terminally
