// Decides whether a request is answered, by its head alone.
#include "http/gate.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "base/characters.hpp"
#include "http/answers.hpp"

namespace terminally {
namespace {

Door door_of(const std::string& path, const House& house) {
  const bool is_theirs = path == "/mcp" || path.starts_with("/mcp/") || path == "/metrics";
  const bool of_programs = house.service != nullptr && is_theirs;
  return of_programs                 ? Door::service
         : path == "/enter"          ? Door::enter
         : path == "/live"           ? Door::live
         : path.starts_with("/api/") ? Door::api
                                     : Door::file;
}

Response wrong_host(const ListenPlace& place) {
  return error_response(403, "wrong_host",
                        "This name and port are not served; the page is at " + to_string(place) +
                            ". Behind ssh, forward the same port: ssh -L 7332:127.0.0.1:7332 MACHINE");
}

/// What only a page of ours may send: all that acts, and all that shows something of the user's. A program is
/// no page, and has no origin.
bool comes_from_elsewhere(const RequestHead& head, Door door) {
  const bool acts =
      door == Door::enter || door == Door::live || (head.method == "POST" && door != Door::service);
  if (head.origins.size() > 1 || (acts && head.origins.empty())) {
    return true;
  }
  const bool same = head.origins.empty() || is_same_origin(head.origins.front(), head.hosts.front());
  return !same || (door != Door::file && !is_own_fetch(head.fetch_site));
}

std::string_view methods_of(Door door) {
  return door == Door::service ? "GET, POST, DELETE"
         : door == Door::enter ? "POST"
         : door == Door::api   ? "GET, HEAD, POST"
                               : "GET, HEAD";
}

bool takes(Door door, std::string_view method) {
  if (door == Door::service) {
    return method == "GET" || method == "POST" || method == "DELETE";
  }
  const bool reads = method == "GET" || (method == "HEAD" && door != Door::live);
  return (method == "POST" && (door == Door::enter || door == Door::api)) || (reads && door != Door::enter);
}

/// The token that a program shows; empty where it shows none.
std::string_view shown_token(std::string_view authorization) {
  constexpr std::string_view kScheme = "bearer ";
  const std::string_view scheme = authorization.substr(0, kScheme.size());
  const auto same = [](char one, char other) { return (one >= 'A' && one <= 'Z' ? one + 32 : one) == other; };
  return std::ranges::equal(scheme, kScheme, same) ? without_blanks(authorization.substr(kScheme.size()))
                                                   : std::string_view();
}

Response no_token() {
  Response refused = error_response(401, "no_token",
                                    "This address needs the header \"Authorization: Bearer TOKEN\"; "
                                    "`terminally-mcp token` prints the token");
  refused.headers.emplace_back("WWW-Authenticate", "Bearer");
  return refused;
}

/// For whoever watches that the process serves; it says nothing else, so it needs no token.
Response alive() {
  Response response;
  response.content_type = "text/plain; charset=utf-8";
  response.body = "ok\n";
  return response;
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
  admitted.door = door_of(target->path, house);
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
  if (admitted.target.path == "/healthz") {
    return alive();
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
  if (admitted.door == Door::service) {
    auto bearer = house.service->bearer_of(shown_token(head.authorization));
    if (!bearer) {
      return no_token();
    }
    admitted.bearer = std::move(*bearer);
  }
  return admitted;
}

}  // namespace terminally
