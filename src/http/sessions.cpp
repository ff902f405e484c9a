// Makes one-time codes and exchanges them for cookies.
#include "http/sessions.hpp"

#include <algorithm>
#include <utility>

#include "base/digests.hpp"
#include "base/files.hpp"

namespace terminally {
namespace {

constexpr std::size_t kSecretBytes = 16;
constexpr std::size_t kMostCodes = 32;
constexpr std::size_t kMostSessions = 64;

}  // namespace

std::string Sessions::make_code(Role role, Clock::time_point now) {
  std::string code = random_hex(kSecretBytes);
  codes_.push_back({sha256_hex(code), role, now + kCodeLasts});
  if (codes_.size() > kMostCodes) {
    codes_.pop_front();
  }
  return code;
}

std::optional<Sessions::Entered> Sessions::enter(std::string_view code, std::uint16_t port,
                                                 Clock::time_point now) {
  std::erase_if(codes_, [now](const Code& one) { return one.until <= now; });
  const std::string hash = sha256_hex(code);
  const auto found = std::ranges::find(codes_, hash, &Code::hash);
  if (found == codes_.end()) {
    return std::nullopt;
  }
  Entered entered{random_hex(kSecretBytes), {found->role, random_hex(4)}};
  codes_.erase(found);
  sessions_.push_back({sha256_hex(entered.cookie), port, entered.visitor});
  if (sessions_.size() > kMostSessions) {
    sessions_.pop_front();
  }
  return entered;
}

std::optional<Visitor> Sessions::visitor_of(std::string_view cookie, std::uint16_t port) {
  const std::string hash = sha256_hex(cookie);
  const auto found = std::ranges::find(sessions_, hash, &Session::hash);
  if (found == sessions_.end() || found->port != port) {
    return std::nullopt;
  }
  std::rotate(found, found + 1, sessions_.end());
  return sessions_.back().visitor;
}

}  // namespace terminally
