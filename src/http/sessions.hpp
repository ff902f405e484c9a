#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "base/timeout.hpp"
#include "http/site.hpp"

namespace terminally {

/// The one-time codes that links carry, and the sessions that browsers got for them. All of it ends with the
/// process. Codes and cookies are 128 random bits; only their hashes are kept.
class Sessions {
 public:
  /// How long a link may be used.
  static constexpr Milliseconds kCodeLasts{600'000};

  /// A new code; the oldest one that nobody has used goes where there are too many.
  [[nodiscard]] std::string make_code(Role role, Clock::time_point now);

  struct Entered {
    std::string cookie;
    Visitor visitor;
  };
  /// Uses a code up. `port` is the one that the browser came by: the cookie is good for this port only.
  /// Nothing: there is no such code, it was used, or its time is over.
  [[nodiscard]] std::optional<Entered> enter(std::string_view code, std::uint16_t port,
                                             Clock::time_point now);

  /// The visitor who has the cookie. The session that was used least recently goes where there are too many.
  [[nodiscard]] std::optional<Visitor> visitor_of(std::string_view cookie, std::uint16_t port);

 private:
  struct Code {
    std::string hash;
    Role role;
    Clock::time_point until;
  };
  struct Session {
    std::string hash;
    std::uint16_t port;
    Visitor visitor;
  };

  std::deque<Code> codes_;        ///< the newest last
  std::deque<Session> sessions_;  ///< the one that was used last is last
};

}  // namespace terminally
