// Searches for many literals at once, by a hash of the first 8 bytes at each place.
#include "secrets/literal_set.hpp"

#include <algorithm>
#include <cstring>

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

}  // namespace terminally
