// Decides by addresses, headers and paths who is served.
#include "http/rules.hpp"

#include <algorithm>
#include <array>
#include <boost/asio/ip/address.hpp>
#include <charconv>

#include "base/error.hpp"
#include "base/utf8.hpp"

namespace terminally {
namespace {

constexpr std::string_view kScheme = "http://";

std::optional<std::uint16_t> parse_port(std::string_view text) {
  std::uint16_t port = 0;
  const auto [rest, failed] = std::from_chars(text.data(), text.data() + text.size(), port);
  const bool canonical =
      failed == std::errc() && rest == text.data() + text.size() && (text.size() == 1 || text.front() != '0');
  return canonical ? std::optional(port) : std::nullopt;
}

bool is_ipv6(std::string_view address) {
  return address.find(':') != std::string_view::npos;
}

/// As a URL has it.
std::string in_brackets(const std::string& address) {
  return is_ipv6(address) ? "[" + address + "]" : address;
}

std::optional<char> decode_byte(std::string_view digits) {
  unsigned byte = 0;
  const auto [rest, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), byte, 16);
  const bool whole = digits.size() == 2 && failed == std::errc() && rest == digits.data() + 2;
  return whole ? std::optional(static_cast<char>(byte)) : std::nullopt;
}

/// Percent-decoded text; nothing where a "%" has no two digits, or the text is none that we take.
std::optional<std::string> decode(std::string_view text) {
  std::string decoded;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '%') {
      decoded += text[at];
      continue;
    }
    const auto byte = decode_byte(text.substr(at + 1, 2));
    if (!byte) {
      return std::nullopt;
    }
    decoded += *byte;
    at += 2;
  }
  const bool plain = is_valid_utf8(decoded) && !has_control_characters(decoded);
  return plain ? std::optional(std::move(decoded)) : std::nullopt;
}

bool leads_elsewhere(std::string_view path) {
  while (!path.empty()) {
    path.remove_prefix(1);  // the "/"
    const std::string_view part = path.substr(0, path.find('/'));
    if (part == "." || part == ".." || part.find('\\') != std::string_view::npos) {
      return true;
    }
    path.remove_prefix(part.size());
  }
  return false;
}

bool add_pair(std::string_view pair, std::map<std::string, std::string>& query) {
  const auto equals = std::min(pair.find('='), pair.size());
  auto name = decode(pair.substr(0, equals));
  auto value = decode(pair.substr(std::min(equals + 1, pair.size())));
  return name && value && !name->empty() && query.emplace(std::move(*name), std::move(*value)).second;
}

}  // namespace

ListenPlace parse_listen_place(std::string_view text) {
  constexpr std::string_view kUnix = "unix:";
  ListenPlace place;
  if (text.starts_with(kUnix)) {
    place.socket = text.substr(kUnix.size());
    if (!place.socket.is_absolute()) {
      throw Error(ErrorCode::invalid_argument, "\"" + std::string(text) + "\" has no absolute path");
    }
    return place;
  }
  const auto colon = text.rfind(':');
  const auto port = colon == std::string_view::npos ? std::nullopt : parse_port(text.substr(colon + 1));
  std::string_view address = text.substr(0, std::min(colon, text.size()));
  if (address.starts_with('[') && address.ends_with(']')) {
    address = address.substr(1, address.size() - 2);
  }
  boost::system::error_code error;
  const auto parsed = boost::asio::ip::make_address(std::string(address), error);
  if (!port || error) {
    throw Error(ErrorCode::invalid_argument,
                "\"" + std::string(text) + "\" is neither ADDRESS:PORT (127.0.0.1:7332) nor unix:PATH");
  }
  if (!parsed.is_loopback()) {
    throw Error(ErrorCode::invalid_argument,
                "\"" + std::string(text) +
                    "\" is an address that other machines reach, and the page shows all that your agents do: "
                    "it is served to this machine only. From elsewhere use ssh: ssh -L 7332:127.0.0.1:7332 "
                    "THIS-MACHINE, and open the link of `terminally-mcp open --print` there");
  }
  place.address = parsed.to_string();
  place.port = *port;
  return place;
}

std::string to_string(const ListenPlace& place) {
  return place.socket.empty()
             ? std::string(kScheme) + in_brackets(place.address) + ":" + std::to_string(place.port)
             : "unix:" + place.socket.string();
}

std::optional<std::uint16_t> own_port(std::string_view host, const ListenPlace& place) {
  constexpr std::uint16_t kHttp = 80;
  const std::string own = in_brackets(place.address);
  for (const std::string_view name :
       std::array<std::string_view, 4>{"localhost", "127.0.0.1", "[::1]", own}) {
    if (!host.starts_with(name)) {
      continue;
    }
    const std::string_view rest = host.substr(name.size());
    const auto port = rest.empty()          ? std::optional(kHttp)
                      : rest.front() == ':' ? parse_port(rest.substr(1))
                                            : std::nullopt;
    if (port && *port != 0 && (!place.socket.empty() || *port == place.port)) {
      return port;
    }
  }
  return std::nullopt;
}

bool is_same_origin(std::string_view origin, std::string_view host) {
  return origin.starts_with(kScheme) && origin.substr(kScheme.size()) == host;
}

bool is_own_fetch(std::string_view site) {
  return site.empty() || site == "same-origin" || site == "none";
}

std::string_view cookie_value(std::string_view cookies, std::string_view name) {
  std::string_view value;
  bool found = false;
  while (!cookies.empty()) {
    std::string_view pair = cookies.substr(0, cookies.find(';'));
    cookies.remove_prefix(std::min(pair.size() + 1, cookies.size()));
    pair.remove_prefix(std::min(pair.find_first_not_of(' '), pair.size()));
    if (!pair.starts_with(name) || pair.substr(name.size(), 1) != "=") {
      continue;
    }
    if (found) {
      return {};
    }
    found = true;
    value = pair.substr(name.size() + 1);
  }
  return value;
}

std::string cookie_name(std::uint16_t port) {
  return "terminally-" + std::to_string(port);
}

std::optional<Target> parse_target(std::string_view target) {
  const auto mark = std::min(target.find('?'), target.size());
  Target parsed;
  auto path = decode(target.substr(0, mark));
  if (!path || !path->starts_with('/') || path->find('#') != std::string::npos || leads_elsewhere(*path)) {
    return std::nullopt;
  }
  parsed.path = std::move(*path);
  std::string_view query = target.substr(std::min(mark + 1, target.size()));
  while (!query.empty()) {
    const std::string_view pair = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(pair.size() + 1, query.size()));
    if (!pair.empty() && !add_pair(pair, parsed.query)) {
      return std::nullopt;
    }
  }
  return parsed;
}

}  // namespace terminally
