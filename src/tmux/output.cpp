#include "tmux/output.hpp"

#include <algorithm>

#include "base/utf8.hpp"
#include "tmux/ansi.hpp"
#include "tmux/render.hpp"

namespace terminally {
namespace {

/// Up to this much is turned into text to see whether it fits: ten thousand redraws of a progress bar are one line.
constexpr std::uint64_t kLargestWhole = 4 * 1024 * 1024;

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

/// Where a tail that begins somewhere in the middle may begin: after the next newline if one is near, else on a character border.
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

std::string to_text(std::string_view bytes, TextView view, int cols) {
  if (view.render) {
    return render(bytes, cols);
  }
  if (view.strip_ansi) {
    return strip_ansi(bytes);
  }
  return to_valid_utf8(without_cr_before_lf(bytes));
}

BoundedText bounded_text(const PaneLog& log, std::uint64_t begin, std::uint64_t end, TextView view, int cols,
                         std::uint64_t max_bytes) {
  BoundedText result;
  if (end <= begin) {
    return result;
  }
  if (end - begin <= std::max(kLargestWhole, max_bytes)) {
    result.text = to_text(read_range(log, begin, end), view, cols);
    if (result.text.size() <= max_bytes) {
      return result;
    }
  }
  const std::uint64_t head_bytes = std::min(max_bytes / 5, end - begin);
  const std::uint64_t tail_bytes = std::min(max_bytes - max_bytes / 5, end - begin - head_bytes);
  std::string head = read_range(log, begin, begin + head_bytes);
  const std::size_t cut = safe_cut(head, true);
  head.resize(cut);
  std::string tail = read_range(log, end - tail_bytes, end);
  const std::size_t border = tail_border(tail);
  const std::uint64_t from = begin + head.size();
  const std::uint64_t to = end - tail_bytes + border;
  result.omitted_bytes = to - from;
  result.text = to_text(head, view, cols);
  if (!result.text.empty() && result.text.back() != '\n') {
    result.text += '\n';
  }
  result.text += "[... " + std::to_string(result.omitted_bytes) + " bytes left out: stream_logs_from_tab from_byte " +
                 std::to_string(from) + " to " + std::to_string(to) + " ...]\n";
  result.text += to_text(std::string_view(tail).substr(border), view, cols);
  return result;
}

}  // namespace terminally
