// Finds the secrets of a text by rules and named values, and merges those that overlap.
#include "secrets/secrets.hpp"

#include <algorithm>
#include <tuple>

#include "secrets/secret_rules.hpp"

namespace terminally {
namespace {

constexpr std::string_view kMaskBegin = "\xC2\xABredacted:";
constexpr std::string_view kMaskEnd = "\xC2\xBB";
/// Replaces bytes that are hidden already before the rules are tried: no rule matches this character.
constexpr char kHidden = '{';

void hide(std::string& text, std::size_t begin, std::size_t end) {
  std::fill(text.begin() + static_cast<std::ptrdiff_t>(begin),
            text.begin() + static_cast<std::ptrdiff_t>(end), kHidden);
}

bool is_name_letter(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '-';
}

/// Hides masks from an earlier pass, so that they stay as they are.
void hide_masks(std::string& text) {
  for (std::size_t at = text.find(kMaskBegin); at != std::string::npos; at = text.find(kMaskBegin, at + 1)) {
    std::size_t end = at + kMaskBegin.size();
    while (end < text.size() && is_name_letter(text[end])) {
      ++end;
    }
    if (std::string_view(text).substr(end).starts_with(kMaskEnd)) {
      hide(text, at, end + kMaskEnd.size());
    }
  }
}

/// Sorts the spans and merges those that overlap. Of several that begin at one place the one that goes on
/// comes first, so that it stays recognizable as a continuation.
void merge(std::vector<SecretSpan>& spans) {
  std::ranges::sort(spans, [](const SecretSpan& a, const SecretSpan& b) {
    return std::tuple(a.begin, !a.goes_on, a.kind, a.end) < std::tuple(b.begin, !b.goes_on, b.kind, b.end);
  });
  std::size_t kept = 0;
  for (const SecretSpan& span : spans) {
    if (kept > 0 && span.begin < spans[kept - 1].end) {
      spans[kept - 1].end = std::max(spans[kept - 1].end, span.end);
      spans[kept - 1].kind = span.kind == SecretRules::kPrivateKey ? span.kind : spans[kept - 1].kind;
    } else {
      spans[kept++] = span;
    }
  }
  spans.resize(kept);
}

}  // namespace

Secrets::Secrets(Options options) : takes_values_(options.values) {
  if (options.rules) {
    rules_ = std::make_shared<const SecretRules>();
  }
}

bool Secrets::add(std::string_view name, std::string_view value) {
  if (!takes_values_) {
    return false;
  }
  const auto known = std::ranges::find(names_, name);
  const auto kind =
      static_cast<std::uint16_t>(SecretRules::kCount + static_cast<std::size_t>(known - names_.begin()));
  if (!values_.add(value, kind)) {
    return false;
  }
  if (known == names_.end()) {
    names_.emplace_back(name);
  }
  return true;
}

std::string_view Secrets::name(std::uint16_t kind) const {
  return kind < SecretRules::kCount ? SecretRules::name(kind) : names_.at(kind - SecretRules::kCount);
}

std::string Secrets::mask(std::uint16_t kind) const {
  return std::string(kMaskBegin).append(name(kind)).append(kMaskEnd);
}

void Secrets::hide_values(std::string& text, std::vector<SecretSpan>& spans) const {
  values_.find(text, [&](const KnownValues::Place& place) {
    spans.push_back({.begin = place.begin, .end = place.end, .kind = place.kind, .goes_on = place.goes_on});
  });
  merge(spans);
  for (const SecretSpan& span : spans) {
    hide(text, span.begin, span.end);
  }
}

void Secrets::find_in_lines(std::string& text, bool begins_line, std::vector<SecretSpan>& spans) const {
  hide_masks(text);
  hide_values(text, spans);
  if (rules_) {
    rules_->find(text, begins_line, [&](std::size_t begin, std::size_t end, std::uint16_t rule) {
      spans.push_back({.begin = begin, .end = end, .kind = rule});
    });
  }
  merge(spans);
}

std::vector<SecretSpan> Secrets::find(std::string_view text, bool begins_line, bool& in_key) const {
  std::vector<SecretSpan> spans;
  if (!any()) {
    return spans;
  }
  std::string subject(text);
  find_in_lines(subject, begins_line, spans);
  return hide_keys(subject, spans, in_key);
}

Secrets::Unfinished Secrets::unfinished(std::string_view text, bool begins_line) const {
  const std::size_t line = text.rfind('\n') + 1;  // npos + 1 is 0
  begins_line = begins_line || line > 0;
  std::string subject(text.substr(line));
  std::vector<SecretSpan> spans;
  find_in_lines(subject, begins_line, spans);
  Unfinished found{.begin = text.size()};
  const auto take = [&found](std::size_t begin, std::uint16_t kind) {
    if (begin < found.begin) {
      found = {.begin = begin, .likely = true, .kind = kind};
    }
  };
  if (!spans.empty() && line + spans.back().end == text.size()) {
    take(line + spans.back().begin, spans.back().kind);
  }
  if (rules_) {
    const SecretRules::Beginning open = rules_->unfinished(subject, begins_line);
    take(line + open.begin, open.rule);
  }
  constexpr std::size_t kFewLetters = 4;
  const KnownValues::Beginning known = values_.unfinished(text);
  const bool likely = known.letters >= kFewLetters;
  if (known.bytes > text.size() - found.begin && (likely || !found.likely)) {
    found = {.begin = text.size() - known.bytes, .likely = likely, .kind = known.kind};
  }
  return found;
}

}  // namespace terminally
