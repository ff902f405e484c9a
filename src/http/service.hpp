#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/awaitable.hpp"
#include "http/site.hpp"

namespace terminally {

/// Who has a token: what a program that has it may do, and a name for the token that may be kept and
/// compared.
struct Bearer {
  Role role = Role::view;
  std::string credential;
};

/// One request of a program that has shown a token. Its Host was found right, and its Origin where it has
/// one.
struct ServiceRequest {
  std::string method;  ///< GET, POST or DELETE
  std::string path;    ///< decoded, without the query: /mcp, below it, or /metrics; valid UTF-8
  /// By their names in lower case. The values of one that came more than once are joined by ", ".
  std::map<std::string, std::string, std::less<>> headers;
  std::string body;  ///< 16 MiB at most
  std::shared_ptr<const void>
      body_share;  ///< what `room_for` gave for it; to be let go of when it counts otherwise
  Bearer bearer;

  /// Empty where it is missing.
  [[nodiscard]] std::string_view header(std::string_view name) const {
    const auto found = headers.find(name);
    return found == headers.end() ? std::string_view() : found->second;
  }
};

/// An answer, or what it waits for.
struct ServiceAnswer {
  Response response;
  /// Where it is set, what it gives is the answer, in place of `response`. It is called once. When the peer
  /// hangs up meanwhile it is cancelled and let go.
  std::function<Awaitable<Response>()> later;
};

/// What is served to programs, behind a token. A body's source of its answers is cancelled and let go as soon
/// as the peer hangs up. It outlives the server.
class Service {
 public:
  Service() = default;
  virtual ~Service() = default;
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  /// Nothing where no such token is known.
  [[nodiscard]] virtual std::optional<Bearer> bearer_of(std::string_view token) = 0;

  /// Room for a body of so many bytes, until it is let go of; null: there is none now.
  [[nodiscard]] virtual std::shared_ptr<const void> room_for(const Bearer& bearer, std::size_t bytes) = 0;

  /// Answers within some milliseconds: what takes longer comes `later`. An `Error` that it throws becomes an
  /// answer as one of a Site's does.
  [[nodiscard]] virtual Awaitable<ServiceAnswer> answer(ServiceRequest request) = 0;
};

}  // namespace terminally
