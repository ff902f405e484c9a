// Masks the secrets of texts for a model, counts them, and words the note about them.
#include "secrets/text_guard.hpp"

#include <algorithm>

#include "base/utf8.hpp"
#include "text/visible_text.hpp"

namespace terminally {
namespace {

/// A longer text is no name, command or message of ours, but output.
constexpr std::size_t kMostCutText = std::size_t{16} * 1024;

/// Adds secrets within which the text was cut earlier (as a command in a name, a record or an error).
void add_cut_secrets(const Secrets& secrets, std::string_view text, std::vector<SecretSpan>& spans) {
  if (text.size() > kMostCutText || !secrets.any()) {
    return;
  }
  for (std::size_t at = text.find(kCutMark); at != std::string_view::npos; at = text.find(kCutMark, at + 1)) {
    const std::size_t line = at == 0 ? 0 : text.rfind('\n', at - 1) + 1;  // npos + 1 is 0
    const Secrets::Unfinished open = secrets.unfinished(text.substr(line, at - line), true);
    if (open.likely && line + open.begin < at) {
      spans.push_back({.begin = line + open.begin, .end = at, .kind = open.kind});
    }
  }
  std::ranges::sort(spans, {}, &SecretSpan::begin);
}

}  // namespace

MaskCount one_secret(std::string_view hidden) {
  const auto newlines = static_cast<std::size_t>(std::ranges::count(hidden, '\n'));
  return {1, newlines + (hidden.ends_with('\n') ? 0 : 1)};
}

std::string TextGuard::apply(std::string_view text, const std::vector<SecretSpan>& spans, std::size_t begin,
                             std::size_t end) {
  std::string out;
  std::size_t at = begin;
  for (const SecretSpan& span : spans) {
    if (span.end <= at || span.begin >= end) {
      continue;
    }
    out.append(text.substr(at, std::max(at, span.begin) - at));
    if (!span.goes_on) {
      out += secrets_->mask(span.kind);
      count(span.kind, text.substr(span.begin, span.end - span.begin));
    }
    out += span.newline_after ? "\n" : "";
    at = std::min(span.end, end);
  }
  return out.append(text.substr(at, end - at));
}

void TextGuard::count(const MaskCounts& masked) {
  for (const auto& [kind, count] : masked) {
    counts_[kind].add(count);
  }
}

std::string TextGuard::masked(std::string_view text) {
  return apply(text, secrets_->find(text), 0, text.size());
}

std::string TextGuard::masked_part(std::string_view line, std::size_t begin, std::size_t end) {
  return apply(line, secrets_->find(line), begin, end);
}

std::string TextGuard::masked_unfinished(std::string_view text) {
  std::vector<SecretSpan> spans = secrets_->find(text);
  const Secrets::Unfinished open = secrets_->unfinished(text, true);
  if (open.likely && (spans.empty() || spans.back().end <= open.begin)) {
    spans.push_back({.begin = open.begin, .end = text.size(), .kind = open.kind});
  }
  return apply(text, spans, 0, text.size());
}

std::string TextGuard::text(std::string_view text) {
  std::vector<SecretSpan> spans = secrets_->find(text);
  add_cut_secrets(*secrets_, text, spans);
  return visible_text(apply(text, spans, 0, text.size()));
}

std::string TextGuard::note() const {
  std::size_t all = 0;
  std::string kinds;
  for (const auto& [kind, count] : counts_) {
    all += count.times;
    kinds.append(kinds.empty() ? "" : ", ").append(secrets_->name(kind)).append(" ");
    kinds += std::to_string(count.times);
    if (count.lines > count.times) {
      kinds += " (" + std::to_string(count.lines) + " lines)";
    }
  }
  return all == 0 ? ""
                  : std::to_string(all) + (all == 1 ? " secret masked: " : " secrets masked: ") + kinds +
                        (all == 1 ? " (the terminal's log keeps it)" : " (the terminal's log keeps them)");
}

}  // namespace terminally
