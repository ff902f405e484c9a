// What a command prints: handed on without the lines of our own that a tracing shell prints around it.

#include <algorithm>

#include "tmux/command_run.hpp"

namespace terminally {
namespace {

/// A line with something in it, and its end.
bool has_whole_line(std::string_view text) {
  const std::size_t begin = text.find_first_not_of("\r\n");
  return begin != std::string_view::npos && text.find('\n', begin) != std::string_view::npos;
}

}  // namespace

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

/// Hands what was printed to the callback.
void CommandRun::emit(std::uint64_t until) {
  if (traced_) {
    const PaneLog::Slice slice = tab_->log.read(record_.start_byte, kTraceLineBytes);
    const std::size_t own = own_lines_at_start(slice.bytes);
    // As long as nothing else stands there, another line of ours may come.
    if (!end_marker_ && slice.bytes.size() < kTraceLineBytes &&
        !has_whole_line(std::string_view(slice.bytes).substr(own))) {
      return;
    }
    record_.start_byte += slice.from == record_.start_byte ? own : 0;
    emitted_ = record_.start_byte;
    traced_ = false;
  }
  while (on_output_ && emitted_ < until) {
    const PaneLog::Slice slice = tab_->log.read(
        emitted_, static_cast<std::size_t>(std::min<std::uint64_t>(until - emitted_, kOutputReadBytes)));
    if (slice.bytes.empty() || slice.from >= until) {
      break;
    }
    on_output_(std::string_view(slice.bytes).substr(0, static_cast<std::size_t>(until - slice.from)));
    emitted_ = slice.next;
  }
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
