// What a command prints: the part of the log that is its output, without the lines of our own that a tracing
// shell prints around it.

#include <algorithm>

#include "command/command_run.hpp"
#include "command/run_output.hpp"

namespace terminally {
namespace {

constexpr std::size_t kSlicesAtOnce = 8;

/// A line with something in it, and its end.
bool has_whole_line(std::string_view text) {
  const std::size_t begin = text.find_first_not_of("\r\n");
  return begin != std::string_view::npos && text.find('\n', begin) != std::string_view::npos;
}

}  // namespace

/// Reads what is new in the log, not more than a few milliseconds' worth. True once END was found.
bool CommandRun::pump() {
  const PaneLog::Stamp log = tab_->log.stamp();
  const std::uint64_t read_before = read_;
  if (log == read_to_end_of_) {
    return end_marker_.has_value();
  }
  read_to_end_of_.reset();
  behind_ = false;
  for (std::size_t slices = 0; scanner_ && !end_marker_; ++slices) {
    if (slices == kSlicesAtOnce) {
      behind_ = true;
      break;
    }
    const PaneLog::Slice slice = tab_->log.read(read_, kOutputReadBytes);
    if (slice.from != read_ || (slice.gap_unknown && !slice.bytes.empty())) {
      scanner_.emplace(record_.nonce, slice.from);  // a record does not survive a gap
    }
    read_ = slice.next;
    grew_ = slice.bytes.empty() ? grew_ : Clock::now();
    scanner_->feed(slice.bytes);
    while (const auto marker = end_marker_ ? std::nullopt : scanner_->next()) {
      if (marker->kind == Marker::Kind::start) {
        on_start(*marker);
      } else {
        on_end(*marker);
      }
    }
    if (began_) {
      skip_own_lines_at_start();
    }
    if (slice.eof || slice.bytes.empty()) {
      read_to_end_of_ = log;
      break;
    }
  }
  if (read_ != read_before) {
    output_changed_.notify();
  }
  return end_marker_.has_value();
}

void CommandRun::on_start(const Marker& marker) {
  if (began_) {
    return;
  }
  began_ = true;
  traced_ = marker.traced;
  if (std::exchange(record_.start_byte, marker.next) != marker.next) {
    save_record();  // before anybody sees its output, and asks
  }
}

void CommandRun::on_end(const Marker& marker) {
  if (marker.by != Marker::By::refused || !began_) {
    end_marker_ = marker;
  }
}

/// The end of the last of the lines at the start of `text` that are our own steps, which a tracing shell
/// prints; 0: there is none.
std::size_t CommandRun::own_lines_at_start(std::string_view text) const {
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

bool CommandRun::is_own_line(std::string_view line) const {
  return std::any_of(script_.own_line_marks.begin(), script_.own_line_marks.end(),
                     [line](const std::string& mark) { return line.find(mark) != std::string_view::npos; });
}

/// As long as nothing else stands there, another line of ours may come.
void CommandRun::skip_own_lines_at_start() {
  if (!traced_) {
    return;
  }
  const PaneLog::Slice slice = tab_->log.read(record_.start_byte, kTraceLineBytes);
  const std::size_t own = own_lines_at_start(slice.bytes);
  if (!end_marker_ && slice.bytes.size() < kTraceLineBytes &&
      !has_whole_line(std::string_view(slice.bytes).substr(own))) {
    return;
  }
  record_.start_byte += slice.from == record_.start_byte ? own : 0;
  traced_ = false;
}

LogReach::Part CommandRun::output() const {
  if (!began_ || (traced_ && !has_ended())) {
    return {.begin = 0, .end = 0, .last = has_ended()};
  }
  // What the log had not taken by its end may come after it, or never.
  const std::uint64_t end =
      record_.unread_from != 0 ? std::min(record_.unread_from, record_.end_byte) : output_end();
  return {.begin = record_.start_byte, .end = end, .last = has_ended()};
}

boost::asio::awaitable<void> RunOutput::changed_by(Clock::time_point when) {
  [[maybe_unused]] const bool changed = co_await run_->output_changed().wait_by(when);
}

/// A tracing shell prints its way to our END, too.
void CommandRun::trim_own_lines_at_end() {
  if (!end_marker_->traced) {
    return;
  }
  const std::uint64_t from =
      record_.end_byte - std::min(record_.end_byte - record_.start_byte, kTraceLineBytes);
  const PaneLog::Slice slice = tab_->log.read(from, static_cast<std::size_t>(record_.end_byte - from));
  std::string_view rest = slice.bytes;
  while (slice.from == from && !rest.empty()) {
    const std::size_t line = rest.size() < 2 ? std::string_view::npos : rest.rfind('\n', rest.size() - 2);
    const std::size_t begin = line == std::string_view::npos ? 0 : line + 1;
    if (!is_own_line(rest.substr(begin))) {
      break;
    }
    rest = rest.substr(0, begin);
    record_.end_byte = from + begin;
  }
}

/// Whether it printed something after the last newline, as whoever shows a prompt does.
bool CommandRun::leaves_line_open() const {
  const std::uint64_t end = tab_->log.end();
  return end > record_.start_byte && tab_->log.read(end - 1, 1).bytes != "\n";
}

}  // namespace terminally
