#include "log/output.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/utf8.hpp"
#include "json/json_size.hpp"
#include "log/fitting.hpp"
#include "log/log_text.hpp"
#include "log/masking.hpp"
#include "log/own_lines.hpp"
#include "text/ansi.hpp"
#include "text/render.hpp"
#include "text/visible_text.hpp"

namespace terminally {
namespace {

/// Up to this much is turned into text to see whether it fits: ten thousand redraws of a progress bar are one
/// line.
constexpr std::uint64_t kLargestWhole = 4 * 1024 * 1024;

/// Output that is cut: as text, masked, and only then measured.
class CutOutput {
 public:
  CutOutput(const PaneLog& log, const OutputRange& range, const TextView& view, int cols)
      : log_(log), range_(range), view_(view), look_(view_for_a_look(view)), cols_(cols) {}

  [[nodiscard]] std::string text(std::uint64_t from, std::uint64_t to, bool only_a_look) const {
    const TextView& view = only_a_look ? look_ : view_;
    const LogRange range{from, to, range_.first, range_.end, range_.goes_on};
    const bool is_cut = from > range_.begin || to < range_.end;
    if (view.is_exact() || !is_cut) {
      return output_text(masked_range(view.guard, log_, range), view, cols_);
    }
    // A line that we typed in a shell that the command opened is known by what follows it, behind the cut.
    LogPart part = log_part(log_, read_range(log_, from, to), range);
    part.bytes = without_spans(part.bytes, typed_echoes(log_, from, part.bytes));
    return output_text(masked_bytes(view.guard, part), view, cols_);
  }

  /// The first bytes.
  [[nodiscard]] FittingText head(std::uint64_t budget) const {
    return fitting(range_.end - range_.begin, budget, [this](std::uint64_t wanted) {
      const std::string raw = read_range(log_, range_.begin, range_.begin + wanted);
      const std::uint64_t bytes = wanted - (raw.size() - safe_cut(raw, true));
      return FittingText{bytes, text(range_.begin, range_.begin + bytes, true)};
    });
  }

  /// The last bytes, none of them before `from`.
  [[nodiscard]] FittingText tail(std::uint64_t from, std::uint64_t budget) const {
    return fitting(range_.end - from, budget, [this, from](std::uint64_t wanted) {
      const std::uint64_t at = range_.end - wanted;
      const std::string before = read_range(log_, at - std::min(at - from, kBeforeTail), at);
      const std::uint64_t bytes = wanted - tail_border(before, read_range(log_, at, range_.end));
      return FittingText{bytes, text(range_.end - bytes, range_.end, true)};
    });
  }

 private:
  /// What decides on whether a tail begins within a sequence.
  static constexpr std::uint64_t kBeforeTail = kMaxSequenceBytes + 4;

  const PaneLog& log_;
  const OutputRange& range_;
  const TextView& view_;
  TextView look_;
  int cols_;
};

BoundedText text_within(const PaneLog& log, const OutputRange& range, const TextView& view, int cols,
                        std::uint64_t max_bytes) {
  const auto [begin, end, goes_on, first] = range;
  BoundedText result;
  if (end <= begin) {
    return result;
  }
  const CutOutput output(log, range, view, cols);
  if (end - begin <= std::max(kLargestWhole, max_bytes)) {
    result.text = output.text(begin, end, true);
    if (json_size(result.text) <= max_bytes) {
      result.text = view.guard ? output.text(begin, end, false) : std::move(result.text);
      return result;
    }
  }
  const std::uint64_t from = begin + output.head(max_bytes / 5).bytes;
  const std::uint64_t to = end - output.tail(from, max_bytes - max_bytes / 5).bytes;
  result.omitted_bytes = to - from;
  result.text = output.text(begin, from, false);
  if (!result.text.empty() && result.text.back() != '\n') {
    result.text += '\n';
  }
  result.text += "[... " + std::to_string(result.omitted_bytes) +
                 " bytes left out: stream_logs_from_tab from_byte " + std::to_string(from) + " to " +
                 std::to_string(to) + " ...]\n";
  result.text += output.text(to, end, false);
  return result;
}

}  // namespace

BoundedText bounded_text(const PaneLog& log, const OutputRange& range, const TextView& view, int cols,
                         std::uint64_t max_bytes) {
  BoundedText result = text_within(log, range, view, cols, max_bytes);
  // Looked at after the text was made, so that bytes removed meanwhile are counted as gone.
  const std::uint64_t counted = range.goes_on ? std::max(range.end, log.counted_end()) : range.end;
  if (range.begin < counted) {
    result.gap = log.gap_between(range.begin, counted);
  }
  return result;
}

std::optional<std::string> gap_note(const PaneLog::Gap& gap, std::string_view of_what) {
  const std::string of = " bytes of " + std::string(of_what);
  const std::string why = gap.error == 0 ? "" : " (" + system_reason(gap.error) + ")";
  std::string note;
  const auto say = [&note](const std::string& text) { note += (note.empty() ? "" : "; ") + text; };
  if (gap.unwritten > 0) {
    say(std::to_string(gap.unwritten) + of + " are gone: the log could not be written" + why);
  }
  if (gap.bytes > gap.unwritten) {
    say(std::to_string(gap.bytes - gap.unwritten) + of + " are gone: their part of the log was removed");
  }
  if (gap.unknown) {
    say("bytes of " + std::string(of_what) +
        " that nobody counted are missing: the log had no writer for a while");
  }
  if (gap.waiting > 0) {
    say(std::to_string(gap.waiting) + of + " are kept in memory: the log cannot be written now" + why);
  }
  return note.empty() ? std::nullopt : std::optional(note);
}

void refuse_beyond_end(const PaneLog& log, std::uint64_t offset, const std::string& field) {
  if (const std::uint64_t end = log.counted_end(); offset > end) {
    throw Error(ErrorCode::invalid_argument,
                field + ": " + std::to_string(offset) + " is beyond the end of this tab's log, " +
                    std::to_string(end) +
                    "; offsets count what one tab has printed: pass a next_byte of this tab, or 0");
  }
}

}  // namespace terminally
