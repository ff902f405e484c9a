#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace terminally {

/// What answers at an address, when it is asked with a token.
enum class Reached {
  nobody,   ///< nothing listens there
  other,    ///< what answers is no `serve`
  refused,  ///< `serve`, for which the token is not good
  let_in,
};

/// Asks, and opens no session and no instance there. `url` is one of parse_serve_url. Throws Error(io) where
/// no answer comes within 20 s.
[[nodiscard]] Reached reach_serve(const std::string& url, const std::string& token);

/// A minimal MCP client of `serve`: one session, one call at a time. Blocks, and waits for an answer for 20
/// s.
class ServeClient {
 public:
  /// Nothing is sent yet. `url` is one of parse_serve_url.
  ServeClient(std::string url, std::string token);
  /// Ends the session.
  ~ServeClient();
  ServeClient(const ServeClient&) = delete;
  ServeClient& operator=(const ServeClient&) = delete;

  /// Sends a request and returns its result; that of "initialize" begins the session. Throws Error for an
  /// error answer, and where the address does not answer or does not let the token in: what to do then is
  /// said.
  nlohmann::ordered_json request(const std::string& method, const nlohmann::ordered_json& params);
  void notify(const std::string& method);

 private:
  [[nodiscard]] std::string shown_of(std::string said) const;
  std::string post(const nlohmann::ordered_json& message);

  std::string url_;
  std::string token_;
  std::string session_;
  int last_id_ = 0;
};

}  // namespace terminally
