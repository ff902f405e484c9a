#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/awaitable.hpp"

namespace terminally {

/// What the person behind a cookie may do: look, or also type, cancel and take over.
enum class Role : std::uint8_t { view, exec };

/// One browser that entered by a one-time code. All its pages and reloads have the same session.
struct Visitor {
  Role role = Role::view;
  std::string session;  ///< names the session; it is not the cookie, and may be shown and logged
};

/// One request of a visitor whose cookie, Host and Origin were found right.
struct Request {
  std::string method;                        ///< "GET" or "POST"; HEAD comes as GET, and its body is dropped
  std::string path;                          ///< decoded, from "/api/" on, without the query; valid UTF-8
  std::map<std::string, std::string> query;  ///< decoded; a name that comes twice was refused before
  std::string body;                          ///< 1 MiB at most
  Visitor visitor;
};

/// The next piece of a body; empty: that was all. It is asked for the next piece when the peer has taken the
/// one before, so a slow peer costs one piece. When the peer is gone it is cancelled, or not called again.
/// What it throws ends the connection in the middle, so that the peer sees that something is missing.
using BodySource = std::function<Awaitable<std::string>()>;

/// An answer. The headers for safety (CSP, nosniff, no-store …) are added by the server.
struct Response {
  unsigned status = 200;
  std::string content_type = "application/json";  ///< empty: there is no body
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
  BodySource source;                    ///< in place of `body` where it is set
  std::optional<std::uint64_t> length;  ///< of what the source gives, where that is known
};

/// One WebSocket of a page. Any number of coroutines may send, one receives. No frame of a cancelled sender
/// is cut: what was handed over is sent whole, in the order in which it was handed over.
class Socket {
 public:
  Socket() = default;
  virtual ~Socket() = default;
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;

  [[nodiscard]] virtual const Visitor& visitor() const = 0;

  /// The next text message, 64 KiB at most. Nothing: the peer is gone or has said goodbye, or this server
  /// ends
  /// (`server_ends`). A peer that sends binary or longer messages is closed with that as the reason.
  [[nodiscard]] virtual Awaitable<std::optional<std::string>> receive() = 0;
  /// Whether `receive` returned nothing because the server ends: a last message may still be sent.
  [[nodiscard]] virtual bool server_ends() const = 0;

  /// Hands a message over, and returns when at most 256 KiB of this socket wait to be sent: the bound on what
  /// a slow peer costs. False: the peer is gone, and nothing will be sent. Never throws, but for
  /// cancellation.
  [[nodiscard]] virtual Awaitable<bool> send_text(std::string message) = 0;
  [[nodiscard]] virtual Awaitable<bool> send_binary(std::string message) = 0;

  /// Sends what waits, then says goodbye with `why` (123 bytes at most are shown). `receive` then returns
  /// nothing.
  virtual void close(std::string why) = 0;
};

/// What is served behind the cookie. One per server; it lives until all its coroutines have returned.
class Site {
 public:
  Site() = default;
  virtual ~Site() = default;
  Site(const Site&) = delete;
  Site& operator=(const Site&) = delete;

  /// Answers GET and POST below /api/. An `Error` that it throws becomes a JSON answer
  /// {"error":{"code","message"}} with status 400 (invalid_argument), 404 (not_found, tab_closed),
  /// 409 (busy) or 500.
  [[nodiscard]] virtual Awaitable<Response> answer(Request request) = 0;

  /// Serves one page's socket, /live, until it returns; the socket is closed then. `query` is that of
  /// /live?NAME=VALUE. What it throws closes the socket, with the error's text as the reason. It is cancelled
  /// half a second after the server began to end, where it has not returned by then.
  [[nodiscard]] virtual Awaitable<void> live(Socket& socket, std::map<std::string, std::string> query) = 0;
};

}  // namespace terminally
