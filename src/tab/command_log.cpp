#include "tab/command_log.hpp"

#include <algorithm>

namespace terminally {
namespace {

/// A line with something in it, and its end.
bool has_whole_line(std::string_view text) {
  const std::size_t begin = text.find_first_not_of("\r\n");
  return begin != std::string_view::npos && text.find('\n', begin) != std::string_view::npos;
}

}  // namespace

void CommandLog::begin(const std::string& nonce, std::uint64_t from, std::uint64_t start) {
  nonce_ = nonce;
  scanner_.emplace(nonce_, from);
  reading_.to = from;
  start_ = start;
  reading_.well = Clock::now();
}

void CommandLog::forget() {
  scanner_.reset();
  end_.reset();
}

bool CommandLog::read() {
  try {
    read_on();
  } catch (const Error& error) {
    reading_.failure = error;
    throw;
  }
  reading_.failure.reset();
  reading_.well = Clock::now();
  return end_.has_value();
}

void CommandLog::read_on() {
  const PaneLog::Stamp log = log_.stamp();
  if (log == reading_.to_end_of) {
    return;
  }
  reading_.to_end_of.reset();
  reading_.goes_on = false;
  for (std::size_t reads = 0; scanner_ && !end_; ++reads) {
    if (reads == kReadsAtOnce) {
      reading_.goes_on = true;
      return;
    }
    const PaneLog::Slice slice = log_.read(reading_.to, kReadBytes);
    if (slice.from != reading_.to || (slice.gap_unknown && !slice.bytes.empty())) {
      scanner_.emplace(nonce_, slice.from);  // a record does not survive a gap
    }
    reading_.to = slice.next;
    reading_.grew = slice.bytes.empty() ? reading_.grew : Clock::now();
    scanner_->feed(slice.bytes);
    take_markers();
    skip_own_lines();
    if (slice.eof || slice.bytes.empty()) {
      reading_.to_end_of = log;
      return;
    }
  }
}

void CommandLog::take_markers() {
  while (const auto marker = end_ ? std::nullopt : scanner_->next()) {
    if (marker->kind == Marker::Kind::end) {
      end_ = marker->by != Marker::By::refused || !began_ ? marker : end_;
    } else if (!began_) {
      began_ = true;
      traced_ = marker->traced;
      start_ = marker->next;
    }
  }
}

/// The end of the last of the lines at the start of `text` that are our own steps, which a tracing shell
/// prints; 0: there is none.
std::size_t CommandLog::own_lines_at_start(std::string_view text) const {
  std::size_t end = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t next = text.find('\n', begin);
    const std::string_view line = text.substr(begin, next == std::string_view::npos ? next : next - begin);
    // The end of what zsh traced of the command before, or a newline at the start of bash's PS4.
    const bool blank = line.find_first_not_of('\r') == std::string_view::npos;
    if (!is_own_line(line) && !blank) {
      break;
    }
    begin = next == std::string_view::npos ? text.size() : next + 1;
    end = blank ? end : begin;
  }
  return end;
}

bool CommandLog::is_own_line(std::string_view line) const {
  return std::ranges::any_of(
      own_line_marks_, [line](const std::string& mark) { return line.find(mark) != std::string_view::npos; });
}

/// As long as nothing else stands there, another line of ours may come.
void CommandLog::skip_own_lines() {
  if (!traced_) {
    return;
  }
  const PaneLog::Slice slice = log_.read(start_, kTraceBytes);
  const std::size_t own = own_lines_at_start(slice.bytes);
  if (!end_ && slice.bytes.size() < kTraceBytes &&
      !has_whole_line(std::string_view(slice.bytes).substr(own))) {
    return;
  }
  start_ += slice.from == start_ ? own : 0;
  traced_ = false;
}

std::uint64_t CommandLog::output_end() const {
  return std::max(end_ ? end_->begin : scanner_ ? scanner_->settled() : 0, start_);
}

std::uint64_t CommandLog::trimmed_end() const {
  std::uint64_t end = end_->begin;
  if (!end_->traced) {
    return end;
  }
  const std::uint64_t from = end - std::min(end - std::min(start_, end), kTraceBytes);
  const PaneLog::Slice slice = log_.read(from, static_cast<std::size_t>(end - from));
  std::string_view rest = slice.bytes;
  while (slice.from == from && !rest.empty()) {
    const std::size_t line = rest.size() < 2 ? std::string_view::npos : rest.rfind('\n', rest.size() - 2);
    const std::size_t begin = line == std::string_view::npos ? 0 : line + 1;
    if (!is_own_line(rest.substr(begin))) {
      break;
    }
    rest = rest.substr(0, begin);
    end = from + begin;
  }
  return end;
}

}  // namespace terminally
