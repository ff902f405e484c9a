#include "base/text_guard.hpp"

#include "base/visible_text.hpp"

namespace terminally {

std::string TextGuard::masked(std::string_view text) {
  const auto spans = secrets_->find(text);
  std::string out;
  std::size_t at = 0;
  for (const SecretSpan& span : spans) {
    out.append(text.substr(at, span.begin - at)).append(secrets_->mask(span.kind));
    out += span.newline_after ? "\n" : "";
    count(span.kind);
    at = span.end;
  }
  return out.append(text.substr(at));
}

std::string TextGuard::text(std::string_view text) {
  return visible_text(masked(text));
}

std::string TextGuard::note() const {
  std::size_t all = 0;
  std::string kinds;
  for (const auto& [kind, count] : counts_) {
    all += count;
    kinds.append(kinds.empty() ? "" : ", ").append(secrets_->name(kind)).append(" ");
    kinds += std::to_string(count);
  }
  return all == 0 ? ""
                  : std::to_string(all) + (all == 1 ? " secret masked: " : " secrets masked: ") + kinds +
                        " (the terminal's log keeps them)";
}

}  // namespace terminally
