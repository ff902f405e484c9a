// Parses and writes the terminally:// URIs of tabs, logs and screens.
#include "mcp/resource_uri.hpp"

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <vector>

#include "toolkit/far_names.hpp"

namespace terminally {
namespace {

constexpr std::string_view kScheme = "terminally://";
constexpr int kResourceNotFound = -32002;  // legacy; modern revisions use invalid params

bool is_alpha(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0;
}

int hex_digit(char c) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  const std::size_t at = kDigits.find(static_cast<char>(std::tolower(static_cast<unsigned char>(c))));
  return at == std::string_view::npos ? -1 : static_cast<int>(at);
}

/// nullopt where a percent sign has no two hexadecimal digits after it.
std::optional<std::string> percent_decoded(std::string_view text) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded += text[i];
      continue;
    }
    const int high = i + 2 < text.size() ? hex_digit(text[i + 1]) : -1;
    const int low = i + 2 < text.size() ? hex_digit(text[i + 2]) : -1;
    if (high < 0 || low < 0) {
      return std::nullopt;
    }
    decoded += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return decoded;
}

std::vector<std::string_view> segments(std::string_view path) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t slash = path.find('/');
    parts.push_back(path.substr(0, slash));
    if (slash == std::string_view::npos) {
      return parts;
    }
    path.remove_prefix(slash + 1);
  }
}

}  // namespace

std::string to_string(const ResourceUri& uri) {
  if (uri.kind == ResourceUri::Kind::tabs) {
    return std::string(kTabsUri);
  }
  return "terminally://tab/" + tab_of(uri) + (uri.kind == ResourceUri::Kind::log ? "/log" : "/screen");
}

std::string tab_of(const ResourceUri& uri) {
  return uri.host.empty() ? to_string(uri.window) : uri.host + ":" + to_string(uri.window);
}

std::optional<ResourceUri> parse_resource_uri(std::string_view text) {
  const auto same = [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; };
  constexpr std::size_t kLongest = 256;  // fits a fully percent-encoded URI; bounded, as answers repeat it
  if (text.size() > kLongest || text.size() < kScheme.size() ||
      !std::ranges::equal(text.substr(0, kScheme.size()), kScheme, same)) {
    return std::nullopt;
  }
  std::vector<std::string> parts;
  for (const std::string_view segment : segments(text.substr(kScheme.size()))) {
    const auto decoded = percent_decoded(segment);
    if (!decoded) {
      return std::nullopt;
    }
    parts.push_back(*decoded);
  }
  if (parts.size() == 1 && parts[0] == "tabs") {
    return ResourceUri{};
  }
  if (parts.size() != 3 || parts[0] != "tab") {
    return std::nullopt;
  }
  const auto far = split_far_name(parts[1]);
  const auto window = parse_window_id(far ? far->rest : parts[1]);
  if (!window || (parts[2] != "log" && parts[2] != "screen")) {
    return std::nullopt;
  }
  return ResourceUri{parts[2] == "log" ? ResourceUri::Kind::log : ResourceUri::Kind::screen, *window,
                     far ? far->host : ""};
}

bool looks_like_uri(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos || colon == 0 || colon + 1 == text.size() || !is_alpha(text.front())) {
    return false;
  }
  const auto in_scheme = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '+' || c == '-' || c == '.';
  };
  const auto printable = [](char c) { return c > ' ' && c != '\x7f'; };
  return std::ranges::all_of(text.substr(0, colon), in_scheme) && std::ranges::all_of(text, printable);
}

ProtocolError resource_not_found(const std::string& uri, Revision revision, const std::string& why) {
  const nlohmann::json data = {{"uri", uri}};
  return {is_modern(revision) ? kInvalidParams : kResourceNotFound,
          "Resource not found: " + uri + (why.empty() ? "" : ": " + why), data.dump()};
}

}  // namespace terminally
