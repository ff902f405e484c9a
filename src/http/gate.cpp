// Decides whether a request is answered, by its head alone.
#include "http/gate.hpp"

#include <string>
#include <utility>

#include "base/characters.hpp"
#include "http/answers.hpp"

namespace terminally {
namespace {

Door door_of(const std::string& path) {
  return path == "/enter"            ? Door::enter
         : path == "/live"           ? Door::live
         : path.starts_with("/api/") ? Door::api
                                     : Door::file;
}

Response wrong_host(const ListenPlace& place) {
  return error_response(403, "wrong_host",
                        "This name and port are not served; the page is at " + to_string(place) +
                            ". Behind ssh, forward the same port: ssh -L 7332:127.0.0.1:7332 MACHINE");
}

/// What only a page of ours may send: all that acts, and all that shows something of the user's.
bool comes_from_elsewhere(const RequestHead& head, Door door) {
  const bool acts = door == Door::enter || door == Door::live || head.method == "POST";
  if (head.origins.size() > 1 || (acts && head.origins.empty())) {
    return true;
  }
  const bool same = head.origins.empty() || is_same_origin(head.origins.front(), head.hosts.front());
  return !same || (door != Door::file && !is_own_fetch(head.fetch_site));
}

std::string_view methods_of(Door door) {
  return door == Door::enter ? "POST" : door == Door::api ? "GET, HEAD, POST" : "GET, HEAD";
}

bool takes(Door door, std::string_view method) {
  const bool reads = method == "GET" || (method == "HEAD" && door != Door::live);
  return (method == "POST" && (door == Door::enter || door == Door::api)) || (reads && door != Door::enter);
}

}  // namespace

std::variant<Response, Admitted> admit(const RequestHead& head, House& house) {
  const auto port = head.hosts.size() == 1 ? own_port(head.hosts.front(), house.place) : std::nullopt;
  if (!port) {
    return wrong_host(house.place);
  }
  auto target = parse_target(head.target);
  if (!target) {
    return error_response(400, "invalid_argument", "This is no address of a page");
  }
  Admitted admitted;
  admitted.door = door_of(target->path);
  admitted.target = std::move(*target);
  admitted.port = *port;
  if (comes_from_elsewhere(head, admitted.door)) {
    return error_response(403, "wrong_origin", "Only the page itself may ask for this");
  }
  if (!takes(admitted.door, head.method)) {
    Response refused = error_response(405, "wrong_method", "This address does not take this method");
    refused.headers.emplace_back("Allow", methods_of(admitted.door));
    return refused;
  }
  if (admitted.door == Door::live && !head.upgrades) {
    return error_response(426, "no_websocket", "This address is for a WebSocket");
  }
  if (admitted.door == Door::api || admitted.door == Door::live) {
    auto visitor = house.sessions.visitor_of(cookie_value(head.cookies, cookie_name(*port)), *port);
    if (!visitor) {
      return error_response(401, "no_session",
                            "This browser has not entered here, or terminally-mcp was started anew: "
                            "`terminally-mcp open` prints a new link");
    }
    admitted.visitor = std::move(*visitor);
  }
  return admitted;
}

}  // namespace terminally
