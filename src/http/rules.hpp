#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace terminally {

// What decides who is served, without a socket: pure functions.

/// Where a server listens.
struct ListenPlace {
  std::string address = "127.0.0.1";  ///< of this machine only: a loopback address
  std::uint16_t port = 7332;
  std::filesystem::path socket;  ///< in place of address and port where it is not empty
};

/// Reads ADDRESS:PORT, [ADDRESS]:PORT or unix:PATH; port 0 is any free one. Throws Error(invalid_argument)
/// for what is none of these, and for an address that other machines reach.
[[nodiscard]] ListenPlace parse_listen_place(std::string_view text);

/// "http://127.0.0.1:7332", or "unix:PATH".
[[nodiscard]] std::string to_string(const ListenPlace& place);

/// The port that a browser reached `place` by, from the Host header of its request; nothing where Host is not
/// one of this machine's loopback names with the port of `place`: then some other name leads here (DNS
/// rebinding). Behind a Unix socket any port is right, as whoever forwards it chooses one.
[[nodiscard]] std::optional<std::uint16_t> own_port(std::string_view host, const ListenPlace& place);

/// Whether a request comes from a page of the same scheme, name and port as it goes to.
[[nodiscard]] bool is_same_origin(std::string_view origin, std::string_view host);

/// Whether Sec-Fetch-Site (empty: the browser sends none) is that of our page, or of a person who typed the
/// address. Another port of the same machine is "same-site": SameSite does not keep it out.
[[nodiscard]] bool is_own_fetch(std::string_view site);

/// The value of a cookie; empty where it is not there, and where it is there twice.
[[nodiscard]] std::string_view cookie_value(std::string_view cookies, std::string_view name);

/// Browsers send a cookie to every port of a name, hence the port.
[[nodiscard]] std::string cookie_name(std::uint16_t port);

/// The target of a request, decoded.
struct Target {
  std::string path;
  std::map<std::string, std::string> query;
};

/// Nothing for what is no absolute path of valid UTF-8 without control characters and without "." and ".."
/// among its parts, and for a query that names something twice.
[[nodiscard]] std::optional<Target> parse_target(std::string_view target);

}  // namespace terminally
