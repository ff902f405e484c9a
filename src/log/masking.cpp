// Reads a part of a log with its surroundings, and finds the secrets in the part.
#include "log/masking.hpp"

#include <algorithm>

#include "base/utf8.hpp"
#include "log/own_lines.hpp"
#include "text/ansi.hpp"
#include "text/pattern_scan.hpp"

namespace terminally {
namespace {

constexpr std::size_t kWithinEcho = std::size_t{4} * 1024;

std::size_t after_newline(std::string_view text, std::size_t from) {
  const std::size_t newline = text.find('\n', from);
  return newline == std::string_view::npos ? text.size() : newline + 1;
}

std::string_view last_of(std::string_view text, std::size_t bytes) {
  return text.substr(text.size() - std::min(text.size(), bytes));
}

/// Converts places in a text, in ascending order, to places in its raw bytes. Both have the same lines.
class Places {
 public:
  Places(std::string_view bytes, std::string_view text) : bytes_(bytes), text_(text) {}

  /// Where the character at `text_at` begins.
  std::size_t begin_of(std::size_t text_at) {
    for (std::size_t next = 0; (next = after_newline(text_, text_at_)) <= text_at && next < text_.size();) {
      text_at_ = next;
      byte_at_ = after_newline(bytes_, byte_at_);
    }
    const std::size_t line_end = after_newline(bytes_, byte_at_);
    byte_at_ += raw_position(bytes_.substr(byte_at_, line_end - byte_at_), text_at - text_at_);
    text_at_ = text_at;
    return byte_at_;
  }

  /// Where the character before `text_at` ends; sequences after that character are not included.
  std::size_t end_of(std::size_t text_at) {
    std::size_t last = text_at - 1;
    while (last > text_at_ && (static_cast<unsigned char>(text_[last]) & 0xC0U) == 0x80U) {
      --last;
    }
    const std::size_t begin = begin_of(last);
    return begin < bytes_.size() ? begin + first_utf8_part(bytes_.substr(begin)).bytes : begin;
  }

 private:
  std::string_view bytes_;
  std::string_view text_;
  std::size_t text_at_ = 0;
  std::size_t byte_at_ = 0;
};

bool is_printable(std::string_view bytes) {
  return std::ranges::all_of(bytes, [](char c) { return (c >= ' ' && c <= '~') || c == '\n' || c == '\t'; });
}

}  // namespace

std::string read_range(const PaneLog& log, std::uint64_t begin, std::uint64_t end,
                       std::vector<LogRun>* runs) {
  std::string bytes;
  while (begin < end) {
    const PaneLog::Slice slice = log.read(begin, static_cast<std::size_t>(end - begin));
    if (slice.bytes.empty() && slice.next <= begin) {
      break;
    }
    // Lost bytes are left out: the bytes after the gap follow.
    if (slice.from < end) {
      const auto run = std::string_view(slice.bytes).substr(0, static_cast<std::size_t>(end - slice.from));
      bytes += run;
      if (runs != nullptr) {
        runs->push_back({slice.from, run.size()});
      }
    }
    begin = slice.next;
    if (slice.eof) {
      break;
    }
  }
  return bytes;
}

LogPart log_part(const PaneLog& log, std::string bytes, const LogRange& range, bool draws) {
  LogPart part;
  part.bytes = std::move(bytes);
  std::uint64_t first = range.begin - std::min(range.begin - range.first, kLookBack);
  part.before = read_range(log, first, range.begin);
  if (may_be_inline_echo(last_of(part.before, kWithinEcho))) {
    first = range.begin - std::min(range.begin - range.first, kInlineEchoBytes);
    part.before = read_range(log, first, range.begin);
  }
  if (draws && begin_of_screen(part.before) == 0) {
    const std::uint64_t drawn = range.begin - std::min(range.begin - range.first, kScreenBytes);
    part.drawn_before = read_range(log, std::min(drawn, first), first);
    part.drawn_before.erase(0, begin_of_screen(part.drawn_before));
  }
  std::uint64_t last = std::min(range.last, range.end + kLookAhead);
  part.after = read_range(log, range.end, last);
  if (may_be_inline_echo(std::string_view(part.after).substr(0, kWithinEcho))) {
    last = std::min(range.last, range.end + kInlineEchoBytes);
    part.after = read_range(log, range.end, last);
  }
  part.begins_line = first == range.first;
  part.goes_on = range.goes_on && last == range.last;
  return part;
}

LogPart log_part(const PaneLog& log, const LogRange& range) {
  return log_part(log, read_range(log, range.begin, range.end), range, false);
}

SecretsIn secrets_in(const Secrets& secrets, std::string_view bytes, std::size_t from, bool begins_line,
                     bool goes_on) {
  SecretsIn found;
  found.settled = bytes.size();
  if (!secrets.any()) {
    return found;
  }
  bytes.remove_prefix(from);
  const bool plain = is_printable(bytes);
  const std::string stripped = plain ? std::string() : strip_ansi(bytes);
  const std::string_view text = plain ? bytes : std::string_view(stripped);
  bool in_key = false;
  const std::vector<SecretSpan> spans = secrets.find(text, begins_line, in_key);
  found.edits.reserve(spans.size() + 1);
  Places places(bytes, text);
  for (const SecretSpan& span : spans) {
    Edit edit{.begin = from + (plain ? span.begin : places.begin_of(span.begin)),
              .end = from + (plain ? span.end : places.end_of(span.end)),
              .newline_after = span.newline_after};
    if (!span.goes_on) {
      edit.shown = secrets.mask(span.kind);
      edit.secret = span.kind;
    }
    found.edits.push_back(std::move(edit));
  }
  if (!goes_on) {
    return found;
  }
  const Secrets::Unfinished open = secrets.unfinished(text, begins_line);
  const auto place = [&](std::size_t at) { return from + (plain ? at : Places(bytes, text).begin_of(at)); };
  const std::size_t line = text.rfind('\n') + 1;  // npos + 1 is 0
  std::size_t settled = open.likely || open.begin >= line ? open.begin : text.size();
  settled = in_key ? std::min(settled, line) : settled;
  found.settled = settled < text.size() ? place(settled) : found.settled;
  if (open.likely && open.begin < text.size()) {
    found.unfinished = place(open.begin);
    if (spans.empty() || spans.back().end < text.size() || spans.back().begin > open.begin) {
      Edit edit{.begin = *found.unfinished,
                .end = from + (plain ? text.size() : Places(bytes, text).end_of(text.size())),
                .shown = secrets.mask(open.kind),
                .secret = open.kind,
                .newline_after = text.ends_with('\n')};
      const auto place_of_edit = std::ranges::upper_bound(found.edits, edit.begin, {}, &Edit::begin);
      found.edits.insert(place_of_edit, std::move(edit));
    }
  }
  return found;
}

}  // namespace terminally
