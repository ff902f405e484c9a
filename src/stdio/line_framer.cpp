// Cuts a byte stream into lines, and drops lines over the limit while they stream in.
#include "stdio/line_framer.hpp"

namespace terminally {

void LineFramer::feed(std::string_view bytes) {
  buffer_ += bytes;
}

std::optional<LineFramer::Line> LineFramer::next() {
  for (;;) {
    const std::size_t newline = buffer_.find('\n', scanned_);
    if (newline == std::string::npos) {
      forget_consumed();
      return std::nullopt;
    }
    std::string_view line = std::string_view(buffer_).substr(start_, newline - start_);
    start_ = scanned_ = newline + 1;
    if (dropping_ || line.size() > max_) {
      dropping_ = false;
      envelope_.feed(line);
      dropped_ = envelope_.take();
      return Line{dropped_, true};
    }
    if (line.ends_with('\r')) {
      line.remove_suffix(1);
    }
    if (line.find_first_not_of(" \t") != std::string_view::npos) {
      return Line{line, false};
    }
  }
}

void LineFramer::forget_consumed() {
  buffer_.erase(0, start_);
  start_ = 0;
  dropping_ = dropping_ || buffer_.size() > max_;
  if (dropping_) {
    envelope_.feed(buffer_);
    buffer_.clear();
  }
  scanned_ = buffer_.size();
  constexpr std::size_t kKeptBytes = std::size_t{1} << 20U;
  if (buffer_.capacity() > kKeptBytes && buffer_.size() < kKeptBytes / 2) {
    buffer_.shrink_to_fit();  // one large message must not keep its memory until the end
  }
}

}  // namespace terminally
