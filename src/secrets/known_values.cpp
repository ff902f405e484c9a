// Searches for many literals at once, by a hash of the first 8 bytes at each place.
// Finds named values in a text, plain or encoded: escaped, in hex, in base64, wrapped into lines.

#include "secrets/known_values.hpp"

#include <algorithm>
#include <cstring>

#include "base/digests.hpp"
#include "base/worker.hpp"
#include "secrets/readings.hpp"
#include "secrets/unescaped.hpp"

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

}  // namespace

LiteralSet::LiteralSet(const LiteralSet& other)
    : literals_(other.literals_), longest_(other.longest_), heads_(other.heads_) {
  for (const Literal& literal : literals_) {
    by_head_.emplace(head_of(literal.first), &literal);
  }
}

bool LiteralSet::add(std::string_view literal, std::uint16_t kind) {
  bool added = false;
  for (; literal.size() >= kLeastBytes; literal.remove_prefix(std::min(literal.size(), kMostBytes))) {
    const std::string_view piece = literal.substr(0, kMostBytes);
    added = true;
    const auto [entry, is_new] = literals_.emplace(piece, kind);
    if (is_new) {
      by_head_.emplace(head_of(piece), &*entry);
      heads_.set(slot_of(head_of(piece)));
      longest_ = std::max(longest_, piece.size());
    }
  }
  return added;
}

const LiteralSet::Literal* LiteralSet::longest_at(std::string_view rest) const {
  const Literal* longest = nullptr;
  const auto [begin, end] = by_head_.equal_range(head_of(rest));
  for (auto candidate = begin; candidate != end; ++candidate) {
    const Literal* literal = candidate->second;
    if (rest.starts_with(literal->first) &&
        (longest == nullptr || longest->first.size() < literal->first.size())) {
      longest = literal;
    }
  }
  return longest;
}

void LiteralSet::find(std::string_view text, const Found& found) const {
  for (std::size_t at = 0; !empty() && at + kLeastBytes <= text.size(); ++at) {
    if (!heads_.test(slot_of(head_of(text.substr(at))))) {
      continue;
    }
    if (const Literal* literal = longest_at(text.substr(at)); literal != nullptr) {
      found(at, at + literal->first.size(), literal->second);
    }
  }
}

LiteralSet::Beginning LiteralSet::unfinished(std::string_view text) const {
  for (std::size_t bytes = std::min(text.size(), longest_); bytes > 0; --bytes) {
    const std::string_view suffix = text.substr(text.size() - bytes);
    const auto next = literals_.lower_bound(suffix);
    if (next != literals_.end() && next->first.starts_with(suffix)) {
      return {bytes, next->second};
    }
  }
  return {};
}

namespace {

std::string hex(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string written;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    written += {kDigits[byte >> 4U], kDigits[byte & 15U]};
  }
  return written;
}

/// Whether a place that matches a value in its bare reading may hold that value: blanks alone would be two
/// texts. Decided from the place alone, because streams and texts are searched in different parts.
bool may_be_written_so(const EscapeLevels& levels, std::size_t first, std::size_t after) {
  return levels.escaped(first, after) ||
         levels.text().substr(first, after - first).find_first_of("\n'\"\\") != std::string_view::npos;
}

/// The characters of base64 that depend on the value alone, where `offset` other bytes come before the value
/// in its first group of three.
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

/// Reports a place across lines as one place in each line, so that all line ends stay.
void add_lines(std::string_view text, KnownValues::Place place, const KnownValues::Found& found) {
  const std::size_t end = place.end;
  while (place.begin < end) {
    place.end = std::min(text.find('\n', place.begin), end);
    if (place.end > place.begin) {
      found(place);
      place.goes_on = true;
    }
    place.begin = place.end + 1;
  }
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
  add_literal(value, kind);  // whole, because its newlines may be escaped
  hex_.add(hex(value), kind);
  for (std::size_t offset = 0; offset < 3; ++offset) {
    const std::string base64 = base64_inside(value, offset);
    add_literal(base64, kind);
    add_literal(url_safe(base64), kind);
  }
  return true;
}

bool KnownValues::add_literal(std::string_view literal, std::uint16_t kind) {
  bare_.add(bare(literal).text, kind);
  return literals_.add(literal, kind);
}

std::size_t KnownValues::most_bytes() const {
  return 12 * most_letters() + 2 * kMostWrapBytes;
}

std::size_t KnownValues::most_letters() const {
  return std::max(literals_.longest(), 2 * hex_.longest());  // 0x in hex
}

void KnownValues::find_bare(const EscapeLevels& levels, const LiteralSet::Found& found) const {
  if (bare_.empty() || !may_be_written_so(levels, 0, levels.text().size())) {
    return;
  }
  const Reading reading = bare(levels.text());
  bare_.find(reading.text, [&](std::size_t first, std::size_t after, std::uint16_t kind) {
    const std::size_t begin = reading.places[first];
    const std::size_t end = reading.places[after - 1] + 1;
    if (may_be_written_so(levels, begin, end)) {
      found(begin, end, kind);
    }
  });
}

void KnownValues::find_hex(std::string_view text, const LiteralSet::Found& found) const {
  const Reading digits = hex_digits(text, 2 * kLeastBytes);
  hex_.find(digits.text, [&](std::size_t first, std::size_t after, std::uint16_t kind) {
    found(digits.places[first], digits.places[after - 1] + 1, kind);
  });
}

void KnownValues::find(std::string_view text, const Found& found) const {
  if (empty()) {
    return;
  }
  EscapeLevels levels(text, most_letters());
  do {
    const auto tell = [&](std::size_t first, std::size_t after, std::uint16_t kind) {
      if (levels.place(after) - levels.place(first) <= most_bytes()) {
        add_lines(text, {levels.place(first), levels.place(after), kind, false}, found);
      }
    };
    literals_.find(levels.text(), [&](std::size_t first, std::size_t after, std::uint16_t kind) {
      found({levels.place(first), levels.place(after), kind, false});
    });
    throw_if_abandoned();
    find_bare(levels, tell);
    throw_if_abandoned();
    find_hex(levels.text(), tell);
    throw_if_abandoned();
  } while (levels.next());
}

KnownValues::Beginning KnownValues::unfinished_in(const EscapeLevels& levels) const {
  const std::string_view text = levels.text();
  const LiteralSet::Beginning plain = literals_.unfinished(text);
  Beginning begun{plain.bytes, plain.bytes, plain.kind};
  const auto take = [&](const LiteralSet& set, const Reading& reading, bool is_bare) {
    const LiteralSet::Beginning found = set.unfinished(reading.text);
    if (found.bytes == 0) {
      return;
    }
    const std::size_t begin = reading.places[reading.text.size() - found.bytes];
    if (text.size() - begin > begun.bytes && (!is_bare || may_be_written_so(levels, begin, text.size()))) {
      begun = {text.size() - begin, found.bytes, found.kind};
    }
  };
  take(bare_, bare(text), true);
  take(hex_, hex_digits(text, 1, true), false);
  return begun;
}

KnownValues::Beginning KnownValues::unfinished(std::string_view text) const {
  if (empty()) {
    return {};
  }
  // From a line's beginning on, which is within no escape; any other place may be.
  const std::size_t from = text.size() - std::min(text.size(), most_bytes());
  const std::string_view last = text.substr(text.substr(0, from).rfind('\n') + 1);  // npos + 1 is 0
  Beginning begun;
  EscapeLevels levels(last, most_letters());
  do {
    Beginning here = unfinished_in(levels);
    here.bytes = last.size() - levels.place(levels.text().size() - here.bytes);
    if (here.bytes > begun.bytes && (here.letters > 0 || begun.bytes == 0)) {
      begun = here.letters > 0 ? here : Beginning{here.bytes, 0, literals_.any_kind()};
    }
  } while (levels.next_without_half_an_escape());
  return begun;
}

}  // namespace terminally
