#include "tmux/wire/screen_text.hpp"

#include <algorithm>
#include <charconv>
#include <vector>

#include "base/utf8.hpp"
#include "json/json_reader.hpp"
#include "log/masking.hpp"
#include "secrets/secret_rules.hpp"
#include "text/ansi.hpp"
#include "text/ansi_parser.hpp"
#include "text/character_sets.hpp"
#include "text/visible_text.hpp"
#include "tmux/wire/client.hpp"

namespace terminally {
namespace {

using Rows = std::vector<std::string_view>;

/// A private key is masked as far as that from its first line.
constexpr std::uint64_t kRowsAbove = kMostLinesOfKey;
constexpr std::size_t kMostTitleBytes = 4'096;

constexpr const char* kScreenFormat =
    "#{pane_height} #{pane_width} #{cursor_y} #{cursor_x} #{alternate_on} #{history_size}";

/// The next line of `text`, taken off it.
std::string_view take_answer_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

std::uint64_t take_number(std::string_view& words) {
  words.remove_prefix(std::min(words.find_first_not_of(' '), words.size()));
  std::uint64_t number = 0;
  const auto [rest, error] = std::from_chars(words.data(), words.data() + words.size(), number);
  words.remove_prefix(static_cast<std::size_t>(rest - words.data()));
  return number;
}

/// Titles are what a program likes them to be, and as long as it likes.
std::string harmless(std::string_view title, TextGuard* guard) {
  std::string text;
  for (std::size_t i = 0; i < title.size();) {
    const Utf8Part part = first_utf8_part(title.substr(i));
    const std::string_view character = title.substr(i, part.bytes);
    text += part.kind != Utf8Kind::valid        ? kReplacementCharacter
            : has_control_characters(character) ? std::string_view(" ")
                                                : character;
    i += part.bytes;
  }
  return shortened(guard != nullptr ? guard->text(text) : text, kMostTitleBytes);
}

/// AnsiParser handler: a captured screen, with or without its sequences. tmux says where letters stand for
/// lines by SO and SI, which go on over rows; without `-e` it gives the letters and says nothing.
struct CapturedText {
  std::string& out;
  bool with_sequences;
  CharacterSets sets = {};  // NOLINT(readability-redundant-member-init): g++ wants it named

  void text(std::string_view text) { sets.append(text, out); }
  void control(char c) { sets.control(c); }
  void escape(char /*intermediate*/, char /*final*/) {}
  void csi(std::string_view parameters, char final) {
    if (with_sequences) {
      out.append("\x1b[").append(parameters) += final;
    }
  }
};

std::string captured_text(std::string_view rows, bool with_sequences) {
  std::string text;
  CapturedText captured{text, with_sequences};
  captured.sets.escape(')', '0');
  parse_whole(rows, captured);
  return text;
}

/// Blanks at the end of a row tell that it goes on in the next one, where they stand in its last column.
/// Nobody else wants them.
std::string without_blanks_at_ends(std::string_view rows) {
  std::string text;
  text.reserve(rows.size());
  for (const char c : rows) {
    if (c == '\n') {
      text.resize(text.find_last_not_of(' ') + 1);  // npos + 1 is 0
    }
    text += c;
  }
  return text;
}

/// The rows of a screen, and which of them are asked for: the others are only looked at.
class ScreenRows {
 public:
  ScreenRows(const Rows& rows, std::size_t first, const ReadScreen& request, std::uint64_t cols)
      : first_(first), end_(rows.size()), count_(rows.size()), request_(request) {
    if (request.skip_rows == 0) {  // blank rows at the end are no text
      while (end_ > first_ && rows[end_ - 1].find_first_not_of(' ') == std::string_view::npos) {
        --end_;
      }
    } else {
      end_ -= static_cast<std::size_t>(std::min<std::uint64_t>(request.skip_rows, end_ - first_));
    }
    std::size_t may_fit = end_;  // as they are, rows that fit take no more than a few times of the budget
    for (std::uint64_t size = 0; may_fit > first_ && size <= request.most_bytes * 4; --may_fit) {
      size += json_size(rows[may_fit - 1]) + 2;
    }
    may_fit_ = end_ - may_fit;
    const std::size_t above = may_fit - std::min<std::size_t>(may_fit, kRowsAbove);
    const std::size_t after = std::min<std::size_t>(end_ + kRowsAbove, rows.size());
    for (std::size_t at = above; at < after; ++at) {
      if (at >= may_fit && at <= end_) {
        begins_.push_back(lines_.size());
      }
      const std::string_view row = rows[at];
      // Wide characters have more bytes than columns: a row counts as full rather too early.
      const bool goes_on = request.guard && strip_ansi(row).size() >= cols;
      lines_.append(row) += goes_on ? kWrap : '\n';
    }
    begins_.push_back(lines_.size());  // where no row is below them
    if (request.guard) {
      edits_ = secrets_in(request.guard->secrets(), lines_, 0, true, false).edits;
    }
  }

  [[nodiscard]] std::size_t count() const { return end_ - first_; }
  /// How many rows stand below those that are asked for.
  [[nodiscard]] std::size_t below() const { return count_ - end_; }

  /// The last `count` rows as text, but for the last `but` of them.
  [[nodiscard]] std::string last(std::size_t count, std::size_t but, MaskCounts* masked) const {
    std::string text = edited(lines_, edits_, begins_[may_fit_ - count], begins_[may_fit_ - but], masked);
    std::ranges::replace(text, kWrap, '\n');
    text = without_blanks_at_ends(text);
    return request_.guard && request_.strip_ansi ? visible_text(text) : text;
  }

  /// How many rows from below have a text of at most `budget` bytes.
  [[nodiscard]] std::size_t that_fit(std::uint64_t budget) const {
    std::size_t fit = 0;
    for (std::uint64_t size = 0; fit < may_fit_; ++fit) {
      size += json_size(last(fit + 1, fit, nullptr));
      if (size > budget) {
        break;
      }
    }
    return fit;
  }

 private:
  std::size_t first_;
  std::size_t end_;
  std::size_t count_;
  std::size_t may_fit_ = 0;
  const ReadScreen& request_;
  std::vector<std::size_t> begins_;  ///< of the rows that may fit, and at least one more
  std::string lines_;
  std::vector<Edit> edits_;
};

/// Cuts a row that alone is longer than the budget.
std::string cut_row(std::string row, std::uint64_t budget) {
  const std::size_t room =
      static_cast<std::size_t>(budget - std::min<std::uint64_t>(budget, kCutMark.size()));
  row.resize(safe_cut(json_prefix(row, room), true));
  return budget < kCutMark.size() ? "" : row.append(kCutMark);
}

void show_rows(TabScreen& screen, const ScreenRows& rows, const ReadScreen& request) {
  const std::uint64_t budget = request.most_bytes;
  const std::size_t fit = rows.that_fit(budget);
  const bool cut = fit == 0 && rows.count() > 0;
  const std::size_t shown = cut ? 1 : fit;
  screen.text = rows.last(shown, 0, &screen.masked);
  if (cut) {
    screen.text = cut_row(std::move(screen.text), budget);
    screen.notes.push_back("a row of over " + std::to_string(budget) + " bytes was cut");
  }
  screen.omitted_rows = rows.count() - shown;
  if (screen.omitted_rows > 0) {
    screen.notes.push_back(std::to_string(screen.omitted_rows) +
                           " rows above did not fit: call read_screen with skip_rows " +
                           std::to_string(rows.below() + shown) + " for them");
  }
}

}  // namespace

std::string screen_query(std::string_view pane, const ReadScreen& request) {
  const std::string target = quote(pane);
  // The title comes last, because it alone can contain any text, also what separates the parts.
  return "display-message -p -t " + target + " " + quote(kScreenFormat) + " ; capture-pane -p -N -t " +
         target + " -S -" + std::to_string(request.scrollback_lines + kRowsAbove) +
         " -e ; display-message -p -t " + target + " '#{pane_title}'";
}

TabScreen read_screen_answer(std::string_view answer, const ReadScreen& request) {
  std::string_view numbers = take_answer_line(answer);
  TabScreen screen;
  screen.rows = take_number(numbers);
  screen.cols = take_number(numbers);
  screen.cursor_row = take_number(numbers);
  screen.cursor_col = take_number(numbers);
  screen.alternate_screen = take_number(numbers) != 0;
  const std::uint64_t history = take_number(numbers);
  const std::uint64_t above = std::min(request.scrollback_lines + kRowsAbove, history);
  const auto first = static_cast<std::size_t>(above - std::min(request.scrollback_lines, above));
  std::string text;
  for (std::uint64_t lines = screen.rows + above; lines > 0; --lines) {
    text.append(take_answer_line(answer)).append("\n");
  }
  text = captured_text(text, !request.strip_ansi);
  Rows rows;
  for (std::string_view rest = text; !rest.empty();) {
    rows.push_back(take_answer_line(rest));
  }
  show_rows(screen, {rows, first, request, screen.cols}, request);
  if (answer.ends_with('\n')) {
    answer.remove_suffix(1);
  }
  std::optional<TextGuard> guard;
  if (request.guard) {
    guard.emplace(request.guard->shared_secrets());
    guard->count(screen.masked);
  }
  screen.title = harmless(answer, guard ? &*guard : nullptr);
  screen.masked = guard ? guard->counts() : MaskCounts();
  return screen;
}

}  // namespace terminally
