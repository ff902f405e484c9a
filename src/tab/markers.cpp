// Finds the START and END records of a command in a stream of log bytes.
#include "tab/markers.hpp"

#include <algorithm>
#include <charconv>

namespace terminally {
namespace {

constexpr std::string_view kPrefix = "\033]133;";
constexpr std::size_t kLongestRecord = 1'024;

bool take(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) {
    return false;
  }
  text.remove_prefix(prefix.size());
  return true;
}

/// How many bytes at the end of `text` could be the beginning of kPrefix.
std::size_t partial_prefix(std::string_view text) {
  for (std::size_t length = std::min(text.size(), kPrefix.size() - 1); length > 0; --length) {
    if (text.ends_with(kPrefix.substr(0, length))) {
      return length;
    }
  }
  return 0;
}

bool take_exit_code(std::string_view& text, int& code) {
  if (text.starts_with("-0")) {  // no exit code; "-1" and "300" are, in zsh and dash
    return false;
  }
  const char* begin = text.data();
  const auto [rest, error] = std::from_chars(begin, begin + text.size(), code);
  if (error != std::errc()) {
    return false;
  }
  text.remove_prefix(static_cast<std::size_t>(rest - begin));
  return true;
}

}  // namespace

std::optional<Marker> parse_marker(std::string_view record, std::string_view nonce) {
  Marker marker;
  if (!take(record, kPrefix)) {
    return std::nullopt;
  }
  if (take(record, "C;mcp=START:")) {
    marker.kind = Marker::Kind::start;
  } else if (take(record, "D;") && take_exit_code(record, marker.exit_code) && take(record, ";mcp=END:")) {
    marker.kind = Marker::Kind::end;
  } else {
    return std::nullopt;
  }
  if (!take(record, nonce)) {
    return std::nullopt;
  }
  marker.traced = take(record, ";x=1");
  if (take(record, ";parts=")) {
    marker.parts = record.substr(0, record.find_first_not_of("0123456789 "));
    record.remove_prefix(marker.parts.size());
  }
  if (take(record, ";by=hook")) {
    marker.by = Marker::By::hook;
  } else if (take(record, ";by=shell")) {
    marker.by = Marker::By::shell;
  } else if (take(record, ";by=refused")) {
    marker.by = Marker::By::refused;
  }
  return record == "\a" ? std::optional(marker) : std::nullopt;
}

void MarkerScanner::feed(std::string_view bytes) {
  pending_.append(bytes);
}

std::optional<Marker> MarkerScanner::next() {
  std::size_t begin = 0;
  std::optional<Marker> found;
  while (!found) {
    begin = pending_.find(kPrefix, begin);
    if (begin == std::string::npos) {
      begin = pending_.size() - partial_prefix(pending_);
      break;
    }
    const std::string_view rest = std::string_view(pending_).substr(begin, kLongestRecord);
    const std::size_t bell = rest.find('\a');
    if (bell == std::string_view::npos) {
      if (rest.size() < kLongestRecord) {
        break;  // the record may still come
      }
      begin += 1;
      continue;
    }
    found = parse_marker(rest.substr(0, bell + 1), nonce_);
    if (found) {
      found->begin = offset_ + begin;
      found->next = found->begin + bell + 1;
      begin += bell + 1;
    } else {
      begin += 1;
    }
  }
  offset_ += begin;
  pending_.erase(0, begin);
  return found;
}

}  // namespace terminally
