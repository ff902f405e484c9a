// The text of a terminal is told in pieces. A window of the newest text stands in for a log: LogText finds
// what in it is secret or ours, and a piece is what was not told yet, up to where the text is settled.
#include "toolkit/shown_text.hpp"

#include <algorithm>
#include <utility>

#include "base/utf8.hpp"
#include "log/log_text.hpp"

namespace terminally {
namespace {

constexpr std::string_view kBinary = "[binary output: not streamed]\n";

std::string skipped_line(std::uint64_t bytes) {
  return "[... " + std::to_string(bytes) + " bytes skipped ...]\n";
}

}  // namespace

ShownText::ShownText(const std::shared_ptr<TextGuard>& guard, std::string own_files)
    : view_{.strip_ansi = true, .guard = guard, .own_files = std::move(own_files)} {}

void ShownText::feed(std::string_view bytes) {
  if (last_words_) {
    return;
  }
  if (looks_binary(bytes)) {
    end(true);
    last_words_ = kBinary;
    return;
  }
  steps_.feed(bytes, window_);
  fed_ = Clock::now();
}

void ShownText::end(bool goes_on, std::uint64_t unread) {
  if (last_words_) {
    return;
  }
  steps_.finish(window_);
  goes_on_ = goes_on;
  last_words_ = unread == 0 ? "" : "\n" + skipped_line(unread);
  skipped_ += unread;
  next_.reset();
}

std::string_view ShownText::next(std::size_t limit, Clock::time_point now) {
  while (!next_) {
    next_ = cut(limit, now);
    if (next_->text.empty() && next_->end.at > told_.at) {
      told();  // all of it is hidden
    }
  }
  if (next_->text.empty()) {
    next_.reset();
  }
  return next_ ? std::string_view(next_->text) : std::string_view();
}

ShownText::Piece ShownText::cut(std::size_t limit, Clock::time_point now) {
  const std::string_view waiting = std::string_view(window_).substr(told_.at);
  const std::size_t size = whole_characters(waiting, limit).size();
  LogPart part;
  part.before = window_.substr(0, told_.at);
  part.bytes = waiting.substr(0, size);
  part.after = waiting.substr(size, kLookAhead);
  part.begins_line = begins_line_;
  part.goes_on = goes_on_ && size + part.after.size() == waiting.size();
  const LogText text(std::move(part), view_, 0);
  const std::size_t bytes = tellable(text, now);
  Piece piece{skipped_now_ == 0 ? "" : skipped_line(skipped_now_), told_};
  std::string masked;
  if (bytes > 0) {
    const Edit* before = told_.in_mask ? nullptr : text.edit_before(0);
    MaskCounts uncounted;
    masked = (before == nullptr ? "" : before->shown) + text.masked(0, bytes, uncounted);
    piece.end.at += bytes;
    piece.end.in_mask = text.edit_before(bytes) != nullptr;
  }
  const bool is_last = last_words_ && bytes == waiting.size();
  if (!view_.guard) {
    piece.text += masked;
  } else {
    piece.end.visible.feed(masked, piece.text);
    if (is_last) {
      piece.end.visible.finish(piece.text);
    }
  }
  piece.text += is_last ? *last_words_ : "";
  return piece;
}

/// How many bytes of the part may be told now.
std::size_t ShownText::tellable(const LogText& text, Clock::time_point now) {
  const std::size_t size = text.bytes().size();
  const std::size_t at = told_.at + text.settled();
  if (last_words_ || text.settled() == size) {
    held_.reset();
    return size;
  }
  if (!held_ || held_->at != at) {
    held_ = Held{at, fed_};
  }
  if (now < held_->since + kHeldBack) {
    return text.settled();
  }
  held_.reset();
  return size;
}

void ShownText::told() {
  Place end = std::move(next_->end);
  skipped_now_ = 0;
  if (last_words_ && end.at == window_.size()) {
    last_words_->clear();
  }
  go_to(std::move(end));
}

void ShownText::go_to(Place place) {
  told_ = std::move(place);
  next_.reset();
  const std::size_t dropped = told_.at - std::min<std::size_t>(told_.at, kLookBack);
  window_.erase(0, dropped);
  begins_line_ = begins_line_ && dropped == 0;
  told_.at -= dropped;
  if (held_) {
    held_->at -= dropped;
  }
}

Clock::time_point ShownText::due() const {
  if (held_ && !next_) {
    return held_->since + kHeldBack;
  }
  const bool waits = window_.size() > told_.at || (last_words_ && !last_words_->empty());
  return waits ? Clock::time_point::min() : Clock::time_point::max();
}

void ShownText::keep(std::size_t most) {
  if (window_.size() - told_.at <= most) {
    return;
  }
  std::size_t at = window_.size() - kStepBytes;
  while (at < window_.size() && (static_cast<unsigned char>(window_[at]) & 0xC0U) == 0x80U) {
    ++at;
  }
  skipped_ += at - told_.at;
  skipped_now_ += at - told_.at;
  held_.reset();
  go_to({.at = at});
}

}  // namespace terminally
