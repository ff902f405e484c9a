// Searches a log for a pattern, and makes an answer of the matches and the lines around them.

#include "log/log_search.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/utf8.hpp"
#include "json/json_reader.hpp"
#include "text/ansi.hpp"

namespace terminally {

namespace {

constexpr std::size_t kSearchReadBytes = std::size_t{512} * 1024;
/// How many bytes before or after a match are read for context lines.
constexpr std::uint64_t kContextBytes = std::uint64_t{32} * 1024;
constexpr std::size_t kShownLineBytes = 1'000;
/// How much of a long line is shown before the match.
constexpr std::size_t kShownBeforeMatch = 200;

/// The bytes from `begin`, or the last gap, up to `end`. Empty when the byte before `end` is not there.
PaneLog::Slice read_up_to(const PaneLog& log, std::uint64_t begin, std::uint64_t end) {
  PaneLog::Slice slice = log.read(begin, static_cast<std::size_t>(end - begin));
  while (slice.next < end && !slice.eof) {
    slice = log.read(slice.next, static_cast<std::size_t>(end - slice.next));
  }
  if (slice.from >= end || slice.next < end) {
    slice.bytes.clear();
    slice.from = end;
  }
  slice.bytes.resize(static_cast<std::size_t>(end - slice.from));  // after a gap the read went beyond `end`
  slice.next = end;
  return slice;
}

/// Where the line of the byte at `from` begins, or a place not far before.
std::uint64_t line_begin_before(const PaneLog& log, std::uint64_t from) {
  const std::uint64_t begin = from - std::min<std::uint64_t>(from, PatternScan::kPieceBytes);
  const PaneLog::Slice slice = read_up_to(log, begin, from);
  const std::size_t newline = slice.bytes.rfind('\n');
  return newline != std::string::npos ? slice.from + newline + 1 : slice.from;
}

/// A line as it is shown: of a long line the part from `begin` on, cut between characters.
std::string shown(std::string_view text, std::size_t begin) {
  if (text.size() <= kShownLineBytes) {
    return std::string(text);
  }
  const auto to_character = [text](std::size_t at) {
    return at - incomplete_utf8_suffix(text.substr(0, at));
  };
  begin = to_character(std::min(begin, text.size() - kShownLineBytes));
  const std::size_t end = to_character(begin + kShownLineBytes);
  std::string part(begin > 0 ? kCutMark : "");
  part += text.substr(begin, end - begin);
  return part += end < text.size() ? kCutMark : "";
}

struct Lines {
  std::vector<std::string> texts;
  std::uint64_t end = 0;  ///< offset after the last
};

/// The first lines from `begin` on, up to offset `until`.
Lines first_lines(const PaneLog& log, ShownLines& shown_lines, std::uint64_t begin, std::uint64_t until,
                  std::uint64_t count) {
  Lines lines;
  lines.end = begin;
  const std::uint64_t most = std::min(kContextBytes, until - std::min(begin, until));
  const PaneLog::Slice slice = log.read(begin, static_cast<std::size_t>(count == 0 ? 0 : most));
  // After a gap the slice may reach beyond `until`.
  std::string_view rest =
      std::string_view(slice.bytes).substr(0, static_cast<std::size_t>(until - std::min(until, slice.from)));
  const std::uint64_t rest_end = slice.from + rest.size();
  shown_lines.look_at(slice.from, rest);
  for (; !rest.empty() && lines.texts.size() < count; lines.end = rest_end - rest.size()) {
    const std::size_t newline = rest.find('\n');
    if (const auto text = shown_lines.text(rest_end - rest.size(), rest.substr(0, newline))) {
      lines.texts.push_back(shown(*text, 0));
    }
    rest.remove_prefix(newline == std::string_view::npos ? rest.size() : newline + 1);
  }
  return lines;
}

/// The last lines before `end`, none of which begins before `from`.
std::vector<std::string> last_lines(const PaneLog& log, ShownLines& shown_lines, std::uint64_t from,
                                    std::uint64_t end, std::uint64_t count) {
  std::vector<std::string> texts;
  if (count == 0 || from >= end) {
    return texts;
  }
  const PaneLog::Slice slice = read_up_to(log, std::max(from, end - std::min(end, kContextBytes)), end);
  const bool begins_line = slice.from == from;
  std::string_view rest = slice.bytes;
  shown_lines.look_at(slice.from, rest);
  while (!rest.empty() && texts.size() < count) {
    const std::size_t newline = rest.size() < 2 ? std::string_view::npos : rest.rfind('\n', rest.size() - 2);
    const std::size_t begin = newline + 1;  // npos + 1 is 0
    if (begin == 0 && !begins_line) {
      break;  // only the end of a line
    }
    std::string_view line = rest.substr(begin);
    line.remove_suffix(line.ends_with('\n') ? 1 : 0);
    if (const auto text = shown_lines.text(slice.from + begin, line)) {
      texts.push_back(shown(*text, 0));
    }
    rest = rest.substr(0, begin);
  }
  std::reverse(texts.begin(), texts.end());
  return texts;
}

std::size_t size_of(const std::vector<std::string>& texts) {
  std::size_t size = 0;
  for (const std::string& text : texts) {
    size += json_size(text);
  }
  return size;
}

}  // namespace

void ShownLines::look_at(std::uint64_t begin, std::string_view bytes) {
  constexpr std::uint64_t kPart = std::uint64_t{64} * 1024;
  const std::uint64_t end = begin + bytes.size();
  if (part_ && begin >= begin_ && end <= end_ &&
      part_->bytes()
          .substr(std::min<std::uint64_t>(begin - begin_, part_->bytes().size()))
          .starts_with(bytes)) {
    return;
  }
  const std::uint64_t log_end = log_.end();
  begin_ = begin;
  end_ = std::max(end, std::min(begin + kPart, log_end));
  LogPart part = log_part(log_, {begin_, end_, 0, log_end, end_ == log_end});
  // Across a gap, offsets in the part are not those of the log: then use these bytes alone.
  if (!std::string_view(part.bytes).starts_with(bytes)) {
    part = LogPart();
    part.bytes = bytes;
    end_ = end;
  }
  part_.emplace(std::move(part), view_, 0);
}

bool ShownLines::is_ours(std::uint64_t offset) const {
  return part_->echo_in(offset - begin_, offset - begin_ + 1).has_value();
}

std::optional<std::string> ShownLines::text(std::uint64_t begin, std::string_view line) {
  const std::size_t at = begin - begin_;
  const std::optional<std::size_t> echo = part_->echo_in(at, at + line.size());
  if (echo && *echo <= at) {
    return std::nullopt;
  }
  MaskCounts masked;
  std::string text = strip_ansi(part_->masked(at, at + line.size(), masked));
  if (guard_) {
    guard_->count(masked);
  }
  if (echo) {
    text.resize(text.find_last_not_of(' ') + 1);  // npos + 1 is 0
  }
  return text;
}

LogSearch::LogSearch(const PaneLog& log, Pattern& pattern, std::uint64_t from)
    : LogSearch(log, pattern, from, line_begin_before(log, from)) {}

LogSearch::LogSearch(const PaneLog& log, Pattern& pattern, std::uint64_t from, std::uint64_t line_begin)
    : log_(log), scan_(pattern, line_begin, from), read_(line_begin) {}

LogSearch::Step LogSearch::next(std::uint64_t end, Clock::time_point until) {
  // An unfinished line that was found is read again first, with the bytes that have come since.
  bool reads_first = std::exchange(found_unfinished_, false) && read_ < end;
  for (;;) {
    switch (std::exchange(reads_first, false) ? PatternScan::Step::needs_more : scan_.next(until)) {
      case PatternScan::Step::found:
        found_unfinished_ = scan_.found().unfinished;
        return Step::found;
      case PatternScan::Step::out_of_time:
        return Step::out_of_time;
      case PatternScan::Step::needs_more:
        break;
    }
    if (read_ >= end) {
      return Step::at_end;
    }
    const PaneLog::Slice slice =
        log_.read(read_, static_cast<std::size_t>(std::min<std::uint64_t>(kSearchReadBytes, end - read_)));
    if (slice.from > read_ || slice.gap_unknown) {
      scan_.skip_to(slice.from);
    }
    if (slice.bytes.empty() || slice.from >= end) {
      read_ = std::max(read_, slice.from);
      return Step::at_end;
    }
    read_ = std::min(slice.next, end);
    scan_.feed(std::string_view(slice.bytes).substr(0, static_cast<std::size_t>(read_ - slice.from)));
    if (Clock::now() >= until) {
      return Step::out_of_time;
    }
  }
}

void FoundLinesWriter::add_lines_after(std::uint64_t until) {
  if (!found_.matches.empty()) {
    Lines lines = first_lines(log_, lines_, shown_, until, request_.context_lines);
    bytes_ += size_of(lines.texts);
    found_.matches.back().after = std::move(lines.texts);
    shown_ = lines.end;
  }
}

std::optional<std::string> FoundLinesWriter::line_of(const LineMatch& match) {
  std::string bytes = read_range(log_, match.line_begin, match.line_end);
  bytes.resize(bytes.find_last_not_of("\r\n") + 1);  // npos + 1 is 0
  lines_.look_at(match.line_begin, bytes);
  return lines_.is_ours(match.byte) ? std::nullopt : lines_.text(match.line_begin, bytes);
}

bool FoundLinesWriter::add(const LineMatch& match) {
  const std::optional<std::string> line = line_of(match);
  if (!line) {
    return true;
  }
  add_lines_after(match.line_begin);
  FoundLine found;
  found.line = shown(*line, match.match.begin - std::min(match.match.begin, kShownBeforeMatch));
  found.byte = match.byte;
  found.before = last_lines(log_, lines_, shown_, match.line_begin, request_.context_lines);
  const std::size_t size = json_size(found.line) + size_of(found.before);
  const std::size_t room_after = request_.context_lines * kShownLineBytes;
  if (!found_.matches.empty() && bytes_ + size + room_after > kMostBytes) {
    return false;
  }
  bytes_ += size;
  shown_ = match.line_end;
  found_.matches.push_back(std::move(found));
  return true;
}

FoundLines FoundLinesWriter::finish() {
  if (!found_.matches.empty() && found_.matches.back().after.empty()) {
    add_lines_after(log_.end());
  }
  return std::move(found_);
}

}  // namespace terminally
