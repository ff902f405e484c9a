// Writes absolute paths as file URIs, and reads such URIs.
#include "files/file_uri.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace terminally {
namespace {

constexpr std::string_view kFileScheme = "file://";

bool stands_for_itself(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x80 &&
         (std::isalnum(byte) != 0 || std::string_view("-._~/+@,=").find(c) != std::string_view::npos);
}

std::optional<char> escaped_byte(std::string_view digits) {
  unsigned byte = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), byte, 16);
  const bool whole = digits.size() == 2 && error == std::errc() && end == digits.data() + 2;
  return whole && byte != 0 ? std::optional(static_cast<char>(byte)) : std::nullopt;
}

}  // namespace

std::string file_uri(std::string_view absolute_path) {
  static constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string uri(kFileScheme);
  for (const char c : absolute_path) {
    if (stands_for_itself(c)) {
      uri += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      uri += {'%', kHex[byte >> 4U], kHex[byte & 15U]};
    }
  }
  return uri;
}

bool is_file_uri(std::string_view text) {
  return text.starts_with(kFileScheme);
}

std::optional<std::string> path_of_file_uri(std::string_view uri) {
  std::string_view rest = uri.substr(std::min(kFileScheme.size(), uri.size()));
  if (rest.starts_with("localhost/")) {
    rest.remove_prefix(std::string_view("localhost").size());
  }
  if (!is_file_uri(uri) || !rest.starts_with('/')) {
    return std::nullopt;
  }
  std::string path;
  for (; !rest.empty(); rest.remove_prefix(1)) {
    char c = rest.front();
    if (c == '%') {
      const std::optional<char> byte = escaped_byte(rest.substr(1, 2));
      if (!byte) {
        return std::nullopt;
      }
      c = *byte;
      rest.remove_prefix(2);
    }
    if (c == '\0') {
      return std::nullopt;
    }
    path += c;
  }
  return path;
}

}  // namespace terminally
