#include "base/known_values.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/base64.hpp"
#include "base/unescaped.hpp"
#include "base/worker.hpp"

namespace terminally {
namespace {

std::uint64_t head_of(std::string_view text) {
  std::uint64_t head = 0;
  std::memcpy(&head, text.data(), sizeof head);
  return head;
}

std::size_t slot_of(std::uint64_t head) {
  return static_cast<std::size_t>((head * 0x9E37'79B9'7F4A'7C15U) >> 48U);
}

std::string hex(std::string_view text, std::string_view digits) {
  std::string written;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    written += {digits[byte >> 4U], digits[byte & 15U]};
  }
  return written;
}

/// What stands between the first and the last single quote of a shell's word.
std::string in_single_quotes(std::string_view text, std::string_view quote) {
  std::string written;
  for (const char c : text) {
    c == '\'' ? written += quote : written += c;
  }
  return written;
}

/// The characters of base64 that the value alone decides, when `offset` bytes of something else come before
/// it in its group of three.
std::string base64_inside(std::string_view value, std::size_t offset) {
  const std::string whole = encode_base64(std::string(offset, '\0').append(value));
  const std::size_t begin = (8 * offset + 5) / 6;
  const std::size_t end = 8 * (offset + value.size()) / 6;
  return end > begin ? whole.substr(begin, end - begin) : std::string();
}

std::string url_safe(std::string base64) {
  std::ranges::replace(base64, '+', '-');
  std::ranges::replace(base64, '/', '_');
  return base64;
}

}  // namespace

bool KnownValues::add(std::string_view value, std::uint16_t kind) {
  bool added = false;
  while (value.ends_with('\n') || value.ends_with('\r')) {
    value.remove_suffix(1);
  }
  for (std::string_view rest = value; !rest.empty();) {
    const std::size_t end = std::min(rest.find_first_of("\r\n"), rest.size());
    added |= add_literal(rest.substr(0, end), kind);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  if (!added) {
    return false;
  }
  std::string in_form(value);  // application/x-www-form-urlencoded
  std::ranges::replace(in_form, ' ', '+');
  add_literal(in_form, kind);
  add_literal(in_single_quotes(value, "'\\''"), kind);    // as shells write it
  add_literal(in_single_quotes(value, "'\"'\"'"), kind);  // as Python's shlex does
  add_literal(value, kind);                               // with its newlines: they may be escaped
  add_literal(hex(value, "0123456789ABCDEF"), kind);
  add_literal(hex(value, "0123456789abcdef"), kind);
  for (std::size_t offset = 0; offset < 3; ++offset) {
    const std::string base64 = base64_inside(value, offset);
    add_literal(base64, kind);
    add_literal(url_safe(base64), kind);
  }
  return true;
}

KnownValues::KnownValues(const KnownValues& other)
    : needles_(other.needles_), longest_(other.longest_), heads_(other.heads_) {
  for (const Needle& needle : needles_) {
    by_head_.emplace(head_of(needle.first), &needle);
  }
}

bool KnownValues::add_literal(std::string_view literal, std::uint16_t kind) {
  bool added = false;
  for (; literal.size() >= kLeastBytes; literal.remove_prefix(std::min(literal.size(), kMostBytes))) {
    const std::string_view piece = literal.substr(0, kMostBytes);
    added = true;
    const auto [needle, is_new] = needles_.emplace(piece, kind);
    if (is_new) {
      by_head_.emplace(head_of(piece), &*needle);
      heads_.set(slot_of(head_of(piece)));
      longest_ = std::max(longest_, piece.size());
    }
  }
  return added;
}

const KnownValues::Needle* KnownValues::longest_at(std::string_view rest) const {
  const Needle* longest = nullptr;
  const auto [begin, end] = by_head_.equal_range(head_of(rest));
  for (auto candidate = begin; candidate != end; ++candidate) {
    const Needle* needle = candidate->second;
    if (rest.starts_with(needle->first) &&
        (longest == nullptr || longest->first.size() < needle->first.size())) {
      longest = needle;
    }
  }
  return longest;
}

void KnownValues::find_as_it_is(std::string_view text, const Found& found) const {
  for (std::size_t at = 0; !empty() && at + kLeastBytes <= text.size(); ++at) {
    if (!heads_.test(slot_of(head_of(text.substr(at))))) {
      continue;
    }
    if (const Needle* needle = longest_at(text.substr(at)); needle != nullptr) {
      found(at, at + needle->first.size(), needle->second);
    }
  }
}

void KnownValues::find(std::string_view text, const Found& found) const {
  find_as_it_is(text, found);
  throw_if_abandoned();
  if (!empty() && has_escapes(text)) {
    const Unescaped plain = unescaped(text);
    find_as_it_is(plain.text, [&](std::size_t begin, std::size_t end, std::uint16_t kind) {
      found(plain.places[begin], plain.places[end], kind);
    });
  }
}

KnownValues::Beginning KnownValues::unfinished_as_it_is(std::string_view text) const {
  for (std::size_t bytes = std::min(text.size(), longest_); bytes > 0; --bytes) {
    const std::string_view suffix = text.substr(text.size() - bytes);
    const auto next = needles_.lower_bound(suffix);
    if (next != needles_.end() && next->first.starts_with(suffix)) {
      return {bytes, next->second};
    }
  }
  return {};
}

KnownValues::Beginning KnownValues::unfinished(std::string_view text) const {
  Beginning begun = unfinished_as_it_is(text);
  // An escape takes at most 6 bytes for one.
  const std::string_view last = text.substr(text.size() - std::min(text.size(), 6 * longest_));
  if (empty() || !has_escapes(last)) {
    return begun;
  }
  Unescaped plain = unescaped(last);
  const std::size_t escape = unfinished_escape(last);
  const auto whole = std::ranges::lower_bound(plain.places, last.size() - escape) - plain.places.begin();
  plain.text.resize(std::min(plain.text.size(), static_cast<std::size_t>(whole)));
  const std::size_t escaped = unfinished_as_it_is(plain.text).bytes;
  const std::size_t bytes = last.size() - plain.places[plain.text.size() - escaped];
  if (bytes > begun.bytes && (escaped > 0 || begun.bytes == 0)) {
    begun = {bytes, escaped > 0 ? unfinished_as_it_is(plain.text).kind : needles_.begin()->second};
  }
  return begun;
}

}  // namespace terminally
