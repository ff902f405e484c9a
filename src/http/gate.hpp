#pragma once

#include <cstdint>
#include <string_view>
#include <variant>
#include <vector>

#include "http/house.hpp"
#include "http/rules.hpp"
#include "http/site.hpp"

namespace terminally {

/// What of a request's head decides. A header that must come once is listed as often as it came.
struct RequestHead {
  std::string_view method;
  std::string_view target;
  std::vector<std::string_view> hosts;
  std::vector<std::string_view> origins;
  std::string_view fetch_site;  ///< Sec-Fetch-Site
  std::string_view cookies;
  std::string_view authorization;  ///< empty where it is there twice
  bool upgrades = false;           ///< to a WebSocket
};

enum class Door : std::uint8_t {
  file,   ///< a file of the page: for whoever comes, as it shows nothing of the user's
  enter,  ///< exchanges a code for a cookie
  api,
  live,
  service,  ///< for programs, which show a token
};

/// A request that may go on.
struct Admitted {
  Door door = Door::file;
  Target target;
  std::uint16_t port = 0;  ///< that the browser came by
  Visitor visitor;         ///< of api and live
  Bearer bearer;           ///< of service
};

/// Decides on a request before its body is read: the Host, the target, who sends it, the method, the
/// cookie or the token.
[[nodiscard]] std::variant<Response, Admitted> admit(const RequestHead& head, House& house);

}  // namespace terminally
