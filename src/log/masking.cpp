#include "log/masking.hpp"

#include <algorithm>

#include "base/utf8.hpp"
#include "text/ansi.hpp"
#include "text/pattern_scan.hpp"

namespace terminally {
namespace {

using Hidden = MaskedLines::Hidden;

/// As long as a private key is, and as a line may be in whose middle a secret stands.
constexpr std::uint64_t kLookBack = std::uint64_t{16} * 1024;
constexpr std::uint64_t kLookAhead = std::uint64_t{12} * 1024;
/// In a screen's rows: an end of a row that is not the end of a line. No terminal has it in its text.
constexpr char kWrap = '\x01';

std::size_t after_newline(std::string_view text, std::size_t from) {
  const std::size_t newline = text.find('\n', from);
  return newline == std::string_view::npos ? text.size() : newline + 1;
}

/// Places in a text as places in the bytes that it is the text of, in ascending order. Both have the same
/// lines.
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

  /// Where the character before `text_at` ends: what follows it and is no text stays.
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

std::vector<Hidden> hidden_in(const Secrets& secrets, std::string_view bytes, bool begins_line,
                              bool goes_on) {
  const bool plain = is_printable(bytes);
  const std::string stripped = plain ? std::string() : strip_ansi(bytes);
  const std::string_view text = plain ? bytes : std::string_view(stripped);
  KeyState state;
  std::vector<SecretSpan> spans = secrets.find(text, begins_line, state);
  if (goes_on && (spans.empty() || spans.back().end < text.size())) {
    const Secrets::Unfinished open = secrets.unfinished(text, begins_line);
    if (open.likely && (spans.empty() || spans.back().end <= open.begin)) {
      spans.push_back({.begin = open.begin, .end = text.size(), .kind = open.kind});
    }
  }
  std::vector<Hidden> hidden;
  hidden.reserve(spans.size());
  Places places(bytes, text);
  for (const SecretSpan& span : spans) {
    const std::size_t begin = plain ? span.begin : places.begin_of(span.begin);
    const std::size_t end = plain ? span.end : places.end_of(span.end);
    hidden.push_back({begin, end, span.kind, span.newline_after, span.goes_on});
  }
  return hidden;
}

/// The bytes from `begin` to `end` of a window, without what is hidden.
std::string shown(TextGuard& guard, std::string_view window, const std::vector<Hidden>& hidden,
                  std::size_t begin, std::size_t end) {
  std::string out;
  std::size_t at = begin;
  for (const Hidden& part : hidden) {
    if (part.end <= at || part.begin >= end) {
      continue;
    }
    if (part.begin >= at) {
      out.append(window.substr(at, part.begin - at));
      if (!part.goes_on) {
        out += guard.secrets().mask(part.kind);
        guard.count(part.kind);
      }
    }
    const std::size_t from = std::max(part.begin, at);
    at = std::min(part.end, end);
    std::ranges::copy_if(window.substr(from, at - from), std::back_inserter(out),
                         [](char c) { return c == kWrap; });
    out += part.newline_after && part.end <= end ? "\n" : "";
  }
  return out.append(window.substr(at, end - at));
}

/// Rows, where a full one and the next are one line.
std::string with_lines_joined(std::string_view rows, std::uint64_t cols) {
  std::string joined;
  joined.reserve(rows.size());
  while (!rows.empty()) {
    const std::string_view row = rows.substr(0, after_newline(rows, 0));
    rows.remove_prefix(row.size());
    // Wide characters have more bytes than columns: a row counts as full rather too early.
    joined += row;
    if (strip_ansi(row).size() > cols && joined.ends_with('\n')) {
      joined.back() = kWrap;
    }
  }
  return joined;
}

bool masks(const std::shared_ptr<TextGuard>& guard) {
  return guard && guard->secrets().any();
}

}  // namespace

std::string read_range(const PaneLog& log, std::uint64_t begin, std::uint64_t end) {
  std::string bytes;
  while (begin < end) {
    const PaneLog::Slice slice = log.read(begin, static_cast<std::size_t>(end - begin));
    if (slice.bytes.empty() && slice.next <= begin) {
      break;
    }
    // What was never logged cannot be shown: the bytes after the gap follow.
    if (slice.from < end) {
      bytes += std::string_view(slice.bytes).substr(0, static_cast<std::size_t>(end - slice.from));
    }
    begin = slice.next;
    if (slice.eof) {
      break;
    }
  }
  return bytes;
}

LogPart log_part(const PaneLog& log, std::string bytes, const LogRange& range) {
  LogPart part;
  part.bytes = std::move(bytes);
  const std::uint64_t first = range.begin - std::min(range.begin - range.first, kLookBack);
  part.before = read_range(log, first, range.begin);
  part.begins_line = first == range.first;
  if (const std::size_t newline = part.before.find('\n'); !part.begins_line && newline != std::string::npos) {
    part.before.erase(0, newline + 1);
    part.begins_line = true;
  }
  const std::uint64_t last = std::min(range.last, range.end + kLookAhead);
  part.after = read_range(log, range.end, last);
  part.goes_on = range.goes_on && last == range.last;
  return part;
}

std::string masked_bytes(const std::shared_ptr<TextGuard>& guard, const LogPart& part) {
  if (!masks(guard)) {
    return part.bytes;
  }
  const std::string window = part.before + part.bytes + part.after;
  const auto hidden = hidden_in(guard->secrets(), window, part.begins_line, part.goes_on);
  return hidden.empty()
             ? part.bytes
             : shown(*guard, window, hidden, part.before.size(), part.before.size() + part.bytes.size());
}

std::string masked_range(const std::shared_ptr<TextGuard>& guard, const PaneLog& log, const LogRange& range) {
  std::string bytes = read_range(log, range.begin, range.end);
  return masks(guard) ? masked_bytes(guard, log_part(log, std::move(bytes), range)) : bytes;
}

std::optional<std::size_t> unfinished_secret(const std::shared_ptr<TextGuard>& guard, const LogPart& part) {
  if (!masks(guard) || !part.goes_on) {
    return std::nullopt;
  }
  const std::string window = part.before + part.bytes + part.after;
  const std::string text = strip_ansi(window);
  const Secrets::Unfinished open = guard->secrets().unfinished(text, part.begins_line);
  if (!open.likely || open.begin == text.size()) {
    return std::nullopt;
  }
  const std::size_t begin = Places(window, text).begin_of(open.begin);
  if (begin >= part.before.size() + part.bytes.size()) {
    return std::nullopt;
  }
  return begin - std::min(begin, part.before.size());
}

std::string masked_rows(const std::shared_ptr<TextGuard>& guard, RowsPart part, std::uint64_t cols) {
  if (!masks(guard)) {
    return std::move(part.rows);
  }
  LogPart lines;
  lines.before = with_lines_joined(part.before, cols);
  lines.bytes = with_lines_joined(part.rows, cols);
  lines.after = with_lines_joined(part.after, cols);
  std::string masked = masked_bytes(guard, lines);
  std::ranges::replace(masked, kWrap, '\n');
  return masked;
}

std::string MaskedLines::masked(std::uint64_t begin, std::string_view bytes) {
  if (!masks(guard_)) {
    return std::string(bytes);
  }
  constexpr std::uint64_t kWindow = std::uint64_t{64} * 1024;
  const std::uint64_t end = begin + bytes.size();
  if (begin < window_begin_ || end > known_to_) {
    window_begin_ = begin - std::min(begin, kLookBack);
    const std::uint64_t log_end = log_.end();
    known_to_ = std::min(std::max(end, begin + kWindow), log_end);
    const std::string before = read_range(log_, window_begin_, begin);
    const std::size_t newline = window_begin_ == 0 ? 0 : before.find('\n') + 1;
    window_begin_ = begin - (before.size() - newline);
    window_ = before.substr(newline) + read_range(log_, begin, std::min(known_to_ + kLookAhead, log_end));
    hidden_ = hidden_in(guard_->secrets(), window_, true, known_to_ == log_end);
  }
  const auto at = static_cast<std::size_t>(begin - window_begin_);
  const std::string_view here = std::string_view(window_).substr(std::min(at, window_.size()), bytes.size());
  // Across a gap, offsets in the window are not those of the log: then the line is looked at alone.
  if (here != bytes) {
    LogPart alone;
    alone.bytes = bytes;
    return masked_bytes(guard_, alone);
  }
  return shown(*guard_, window_, hidden_, at, at + bytes.size());
}

}  // namespace terminally
