#include "secrets/redactor.hpp"

#include <algorithm>

#include "base/utf8.hpp"

namespace terminally {
namespace {

std::size_t line_of(std::string_view text, std::size_t at) {
  return at == 0 ? 0 : text.rfind('\n', at - 1) + 1;  // npos + 1 is 0
}

/// The line of `at`, or of the first span that shares a line with it, or with one that does.
std::size_t first_line_of(std::string_view text, const std::vector<SecretSpan>& spans, std::size_t at) {
  at = line_of(text, at);
  for (auto span = spans.rbegin(); span != spans.rend() && span->end > at; ++span) {
    while (span->goes_on && std::next(span) != spans.rend()) {
      ++span;
    }
    at = std::min(at, line_of(text, span->begin));
  }
  return at;
}

}  // namespace

/// Appends what of held_ is to be seen, up to `end`.
void Redactor::show(const std::vector<SecretSpan>& spans, std::size_t end, std::string& out) {
  for (const SecretSpan& span : spans) {
    if (span.begin >= end && span.end > span.begin) {
      break;
    }
    if (span.end <= shown_ && shown_ > 0) {
      continue;
    }
    if (span.begin > shown_) {
      out.append(held_, shown_, span.begin - shown_);
    }
    const bool masked = span.goes_on || (masked_from_ < span.end && span.begin < masked_to_);
    shown_ = std::max(shown_, std::min(span.end, end));
    if (!masked) {
      mask(span.kind, std::max(span.begin, masked_to_), out);
    }
    masked_to_ = shown_;
    out += span.newline_after ? "\n" : "";
  }
  if (end > shown_) {
    out.append(held_, shown_, end - shown_);
    shown_ = end;
  }
}

void Redactor::mask(std::uint16_t kind, std::size_t from, std::string& out) {
  masked_from_ = from;
  out += secrets_->mask(kind);
  if (on_masked_) {
    on_masked_(kind);
  }
}

void Redactor::drop(std::size_t bytes) {
  held_.erase(0, bytes);
  shown_ -= bytes;
  masked_from_ -= std::min(masked_from_, bytes);
  masked_to_ -= std::min(masked_to_, bytes);
}

/// All up to `end`, which ends the stream.
void Redactor::take_all(std::string& out) {
  show(secrets_->find(held_, begins_line_, state_), held_.size(), out);
  drop(held_.size());
  begins_line_ = true;
}

/// All up to `end`, which ends a line, but for the lines of a named value that may go on in the next one:
/// they are kept, whole, to be looked at again. What a rule finds in them depends on what the value hides.
void Redactor::take_lines(std::size_t end, std::string& out) {
  const std::string_view lines = std::string_view(held_).substr(0, end);
  KeyState state = state_;
  auto spans = secrets_->find(lines, begins_line_, state);
  const Secrets::Unfinished open = secrets_->unfinished(lines, begins_line_);
  const std::size_t kept = first_line_of(lines, spans, open.begin);
  const bool keeps = open.begin < end && end - kept < kMostKeptBytes;
  if (keeps) {
    spans = secrets_->find(lines.substr(0, kept), begins_line_, state_);
  } else {
    state_ = state;
  }
  show(spans, keeps ? kept : end, out);
  drop(keeps ? kept : end);
  looked_to_ = keeps ? end - kept : 0;
  begins_line_ = begins_line_ || !keeps || kept > 0;
}

/// A part of a line that is too long to be held.
void Redactor::take_piece(std::string& out) {
  const std::string_view piece = std::string_view(held_).substr(0, Secrets::kMostLineBytes);
  KeyState state = state_;
  const auto spans = secrets_->find(piece, begins_line_, state);
  std::size_t end = Secrets::kMostLineBytes - SecretRules::kMostBytes;
  end -= incomplete_utf8_suffix(piece.substr(0, end));
  bool key_later = false;
  for (const SecretSpan& span : spans) {
    key_later = span.begin >= end && span.kind == SecretRules::kPrivateKey;
    end = span.begin < end ? std::max(end, span.end) : end;
  }
  state_ = key_later ? KeyState() : state;
  show(spans, end, out);
  drop(end - kOverlapBytes);
  looked_to_ = 0;
  begins_line_ = false;
}

void Redactor::feed(std::string_view text, std::string& out) {
  held_.append(text);
  for (;;) {
    std::size_t lines = 0;
    std::size_t newline = held_.find('\n');
    while (newline != std::string::npos && newline - lines < Secrets::kMostLineBytes) {
      lines = newline + 1;
      newline = held_.find('\n', lines);
    }
    if (lines > looked_to_) {
      take_lines(lines, out);
    } else if (held_.size() - looked_to_ >= Secrets::kMostLineBytes) {
      take_piece(out);
    } else {
      return;
    }
  }
}

void Redactor::release(std::string& out, bool all) {
  KeyState state = state_;
  const auto spans = secrets_->find(held_, begins_line_, state);
  const Secrets::Unfinished open = secrets_->unfinished(held_, begins_line_);
  const bool in_key = state.key_lines > 0 && spans.back().goes_on;
  // A few letters at the end of a line are no reason to hold it.
  const bool lines = looked_to_ > open.begin;
  const std::size_t end = in_key ? 0 : (all || lines) && !open.likely ? held_.size() : open.begin;
  if (end > shown_) {
    show(spans, end, out);
  }
  if (all && !in_key && held_.size() > shown_) {
    if (masked_to_ == 0 || masked_to_ < shown_) {
      mask(open.kind, shown_, out);
    }
    out.append(static_cast<std::size_t>(
                   std::count(held_.begin() + static_cast<std::ptrdiff_t>(shown_), held_.end(), '\n')),
               '\n');
    masked_to_ = shown_ = held_.size();
  }
}

void Redactor::release(std::string& out) {
  if (holds()) {
    release(out, false);
  }
}

void Redactor::release_all(std::string& out) {
  if (holds()) {
    release(out, true);
  }
}

void Redactor::finish(std::string& out) {
  take_all(out);
  looked_to_ = 0;
  state_ = {};
}

}  // namespace terminally
