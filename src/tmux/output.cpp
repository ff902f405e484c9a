#include "tmux/output.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/utf8.hpp"
#include "base/visible_text.hpp"
#include "tmux/ansi.hpp"
#include "tmux/masking.hpp"
#include "tmux/render.hpp"

namespace terminally {
namespace {

/// Up to this much is turned into text to see whether it fits: ten thousand redraws of a progress bar are one
/// line.
constexpr std::uint64_t kLargestWhole = 4 * 1024 * 1024;

std::string without_cr_before_lf(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size());
  std::size_t begin = 0;
  for (;;) {
    const std::size_t at = bytes.find("\r\n", begin);
    if (at == std::string_view::npos) {
      text += bytes.substr(begin);
      return text;
    }
    text += bytes.substr(begin, at - begin);
    begin = at + 1;
  }
}

/// Where a tail that begins somewhere in the middle may begin: after the next newline if one is near, else on
/// a character border.
std::size_t tail_border(std::string_view bytes) {
  const std::size_t newline = bytes.substr(0, std::min<std::size_t>(bytes.size() / 4, 4096)).find('\n');
  if (newline != std::string_view::npos) {
    return newline + 1;
  }
  std::size_t at = 0;
  while (at < bytes.size() && at < 4 && (static_cast<unsigned char>(bytes[at]) & 0xC0U) == 0x80) {
    ++at;
  }
  return at;
}

}  // namespace

std::string log_text(std::string_view bytes, const TextView& view, int cols) {
  if (!view.render && !view.strip_ansi) {
    return to_valid_utf8(bytes);
  }
  std::string text = view.render ? render(bytes, cols) : strip_ansi(bytes);
  if (!view.guard) {
    return text;
  }
  // What was drawn out of order is a secret only now.
  return view.render ? view.guard->text(text) : visible_text(text);
}

std::string output_text(std::string_view bytes, const TextView& view, int cols) {
  return view.render || view.strip_ansi ? log_text(bytes, view, cols)
                                        : to_valid_utf8(without_cr_before_lf(bytes));
}

namespace {

BoundedText text_within(const PaneLog& log, const OutputRange& range, const TextView& view, int cols,
                        std::uint64_t max_bytes) {
  const auto [begin, end, goes_on, first] = range;
  TextView unmasked = view;
  unmasked.guard = nullptr;
  const auto masked_text = [&](std::uint64_t from, std::uint64_t to) {
    const LogRange part{from, to, first, end, goes_on};
    return output_text(masked_range(view.guard, log, part), view, cols);
  };
  BoundedText result;
  if (end <= begin) {
    return result;
  }
  if (end - begin <= std::max(kLargestWhole, max_bytes)) {
    std::string bytes = read_range(log, begin, end);
    result.text = output_text(bytes, unmasked, cols);
    if (result.text.size() <= max_bytes) {
      result.text = view.guard ? masked_text(begin, end) : std::move(result.text);
      return result;
    }
  }
  // A CR before each LF, or colours, take room in the log and none in the text: as many raw bytes more as the
  // text falls short.
  std::uint64_t from = begin;
  std::uint64_t to = end;
  std::string head;
  std::string tail;
  for (int i = 0; i < 6; ++i) {
    const std::uint64_t more_head = max_bytes / 5 - std::min(max_bytes / 5, std::uint64_t{head.size()});
    const std::uint64_t more_tail =
        max_bytes - max_bytes / 5 - std::min(max_bytes - max_bytes / 5, std::uint64_t{tail.size()});
    from = std::min(from + more_head, end);
    to = std::max(to - std::min(more_tail, to), from);
    std::string raw_head = read_range(log, begin, from);
    raw_head.resize(safe_cut(raw_head, true));
    from = begin + raw_head.size();
    head = output_text(raw_head, unmasked, cols);
    const std::string raw_tail = read_range(log, to, end);
    const std::size_t border = tail_border(raw_tail);
    tail = output_text(std::string_view(raw_tail).substr(border), unmasked, cols);
    to += border;
  }
  result.omitted_bytes = to - from;
  result.text = view.guard ? masked_text(begin, from) : head;
  if (!result.text.empty() && result.text.back() != '\n') {
    result.text += '\n';
  }
  result.text += "[... " + std::to_string(result.omitted_bytes) +
                 " bytes left out: stream_logs_from_tab from_byte " + std::to_string(from) + " to " +
                 std::to_string(to) + " ...]\n";
  result.text += view.guard ? masked_text(to, end) : tail;
  return result;
}

}  // namespace

BoundedText bounded_text(const PaneLog& log, const OutputRange& range, const TextView& view, int cols,
                         std::uint64_t max_bytes) {
  BoundedText result = text_within(log, range, view, cols, max_bytes);
  // Afterwards: what goes meanwhile is said, too.
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
