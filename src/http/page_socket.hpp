#pragma once

// Of this room's own sources only: a heavy header.

#include <boost/beast/http/message.hpp>
#include <boost/beast/http/string_body.hpp>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/awaitable.hpp"
#include "http/site.hpp"
#include "http/stream.hpp"

namespace terminally {

using Upgrade = boost::beast::http::request<boost::beast::http::string_body>;

/// The WebSocket of a page, over a connection whose upgrade was found right.
class PageSocket : public Socket {
 public:
  PageSocket(Stream stream, Visitor visitor);
  ~PageSocket() override;

  /// Shakes hands, and has the site serve until one side closes. Never throws. The object outlives it.
  [[nodiscard]] Awaitable<void> serve(Upgrade upgrade, std::map<std::string, std::string> query, Site& site);

  /// The server ends: the site has half a second for its last message.
  void finish();
  /// Ends the connection now.
  void cut();

  [[nodiscard]] const Visitor& visitor() const override;
  [[nodiscard]] Awaitable<std::optional<std::string>> receive() override;
  [[nodiscard]] bool server_ends() const override;
  [[nodiscard]] Awaitable<bool> send_text(std::string message) override;
  [[nodiscard]] Awaitable<bool> send_binary(std::string message) override;
  void close(std::string why) override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace terminally
