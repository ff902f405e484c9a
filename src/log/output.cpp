// Makes a bounded text of an output: the first fifth, the last four fifths, a line between them.
#include "log/output.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "json/json_reader.hpp"
#include "log/log_text.hpp"

namespace terminally {
namespace {

/// Up to so many bytes are made text as a whole to see whether the text fits: ten thousand redraws of a
/// progress bar are one line.
constexpr std::uint64_t kLargestWhole = 4 * 1024 * 1024;
/// Of a longer output, this much of each end is made text, and eight times the bytes that may be shown.
constexpr std::uint64_t kEndBytes = 64 * 1024;

/// A part of an output as text, and where in the log its bytes stand, because some may be gone.
class OutputPart {
 public:
  OutputPart(const PaneLog& log, const OutputRange& range, std::uint64_t begin, std::uint64_t end,
             const TextView& view, int cols)
      : begin_(begin),
        end_(end),
        draws_(view.render),
        text_(part_of(log, {begin, end, range.first, range.end, range.goes_on}), view, cols) {}

  [[nodiscard]] const LogText& text() const { return text_; }
  /// The offset after a kept beginning, or of a kept end.
  [[nodiscard]] std::uint64_t cut_at(const FittingText& found, Keep keep) const {
    if (found.bytes == text_.bytes().size()) {
      return keep == Keep::end ? begin_ : end_;
    }
    std::uint64_t at = keep == Keep::end ? text_.bytes().size() - found.bytes : found.bytes;
    for (const LogRun& run : runs_) {
      if (at < run.bytes || (at == run.bytes && keep == Keep::beginning)) {
        return run.offset + at;
      }
      at -= run.bytes;
    }
    return end_;
  }

 private:
  LogPart part_of(const PaneLog& log, const LogRange& range) {
    std::string bytes = read_range(log, range.begin, range.end, &runs_);
    return log_part(log, std::move(bytes), range, draws_);
  }

  std::uint64_t begin_;
  std::uint64_t end_;
  bool draws_;
  std::vector<LogRun> runs_;
  LogText text_;
};

BoundedText text_within(const PaneLog& log, const OutputRange& range, TextView view, int cols,
                        std::uint64_t max_bytes) {
  const std::uint64_t begin = range.begin;
  const std::uint64_t end = range.end;
  if (end <= begin) {
    return {};
  }
  view.lines_end_with_lf = true;
  const bool as_a_whole = end - begin <= std::max(kLargestWhole, max_bytes);
  const std::uint64_t looked_at =
      as_a_whole ? end - begin : kEndBytes + std::min(kLargestWhole, 8 * max_bytes);
  const OutputPart first(log, range, begin, begin + std::min(looked_at, end - begin), view, cols);
  if (as_a_whole) {
    FittingText whole = first.text().text(0, first.text().bytes().size());
    if (json_size(whole.text) <= max_bytes) {
      return {.text = std::move(whole.text),
              .masked = std::move(whole.masked),
              .cleared_lines = whole.cleared_lines};
    }
  }
  // The line that says what is left out begins on a line of its own.
  constexpr std::uint64_t kNewlineBytes = 2;  // as JSON
  const std::uint64_t room_of_head = max_bytes / 5 - std::min(max_bytes / 5, kNewlineBytes);
  FittingText head = first.text().fitting(Keep::beginning, room_of_head);
  const std::uint64_t from = first.cut_at(head, Keep::beginning);
  std::optional<OutputPart> rest;
  if (!as_a_whole) {
    rest.emplace(log, range, end - std::min(looked_at, end - from), end, view, cols);
  }
  const OutputPart& last = rest ? *rest : first;
  const FittingText tail = last.text().fitting(Keep::end, max_bytes - max_bytes / 5,
                                               rest ? 0 : static_cast<std::size_t>(head.bytes));
  const std::uint64_t to = last.cut_at(tail, Keep::end);
  BoundedText result{.text = std::move(head.text), .masked = std::move(head.masked)};
  result.omitted_bytes = to - from;
  if (!result.text.empty() && result.text.back() != '\n') {
    result.text += '\n';
  }
  result.text += "[... " + std::to_string(result.omitted_bytes) +
                 " bytes left out: stream_logs_from_tab from_byte " + std::to_string(from) + " to " +
                 std::to_string(to) + " ...]\n";
  result.text += tail.text;
  for (const auto& [kind, count] : tail.masked) {
    result.masked[kind].add(count);
  }
  result.cleared_lines = head.cleared_lines + tail.cleared_lines;
  return result;
}

}  // namespace

BoundedText bounded_text(const PaneLog& log, const OutputRange& range, const TextView& view, int cols,
                         std::uint64_t max_bytes) {
  BoundedText result = text_within(log, range, view, cols, max_bytes);
  // Counted after the text was made, so that bytes removed meanwhile count as gone.
  const std::uint64_t counted = range.goes_on ? std::max(range.end, log.counted_end()) : range.end;
  if (range.begin < counted) {
    result.gap = log.gap_between(range.begin, counted);
  }
  return result;
}

std::optional<std::string> cleared_note(std::uint64_t lines, std::uint64_t begin, std::uint64_t end) {
  if (lines == 0) {
    return std::nullopt;
  }
  return std::to_string(lines) + (lines == 1 ? " line was" : " lines were") +
         " cleared from the screen; the log has them: stream_logs_from_tab with strip_ansi, from_byte " +
         std::to_string(begin) + " to " + std::to_string(end);
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
    say("an unknown number of" + of + " is missing: the log had no writer for a while");
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
                    std::to_string(end) + "; offsets count what one tab has printed: " +
                    (field.starts_with('-') ? "give 0 to " + std::to_string(end)
                                            : "pass a next_byte of this tab, or 0"));
  }
}

}  // namespace terminally
