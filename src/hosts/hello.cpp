// Makes and recognizes the hello line, by which a far side shows that it is terminally-mcp.
#include "hosts/hello.hpp"

#include <algorithm>

namespace terminally {
namespace {

constexpr std::string_view kBegin = "terminally-mcp-gateway ";
constexpr std::size_t kLongestVersion = 200;
/// Bytes kept of other output: enough to show in an error, and for a hello line that arrives in pieces.
constexpr std::size_t kKept = 2'000;

std::string turned(std::string_view nonce) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  for (const char c : nonce) {
    const std::size_t digit = kDigits.find(c);
    out.push_back(digit == std::string_view::npos ? c : kDigits[15 - digit]);
  }
  return out;
}

std::string mark_of(std::string_view nonce) {
  return std::string(kBegin) + turned(nonce) + " ";
}

}  // namespace

std::string hello_line(std::string_view nonce, std::string_view version) {
  return mark_of(nonce) + std::string(version) + "\n";
}

HelloReader::HelloReader(std::string_view nonce) : mark_(mark_of(nonce)) {}

HelloReader::State HelloReader::feed(std::string_view bytes) {
  unread_ += bytes;
  const std::size_t mark = unread_.find(mark_);
  if (mark != std::string::npos) {
    const std::size_t begin = mark + mark_.size();
    const std::size_t newline = unread_.find('\n', begin);
    if (newline == std::string::npos) {
      return unread_.size() - begin > kLongestVersion ? State::too_much : State::waiting;
    }
    version_ = unread_.substr(begin, newline - begin);
    if (version_.ends_with('\r')) {
      version_.pop_back();
    }
    unread_.erase(0, newline + 1);
    return version_.size() > kLongestVersion ? State::too_much : State::seen;
  }
  if (unread_.size() > kKept) {
    dropped_ += unread_.size() - kKept;
    unread_.erase(0, unread_.size() - kKept);
  }
  return dropped_ > kMostBefore ? State::too_much : State::waiting;
}

}  // namespace terminally
