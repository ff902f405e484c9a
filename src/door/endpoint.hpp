#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/awaitable.hpp"
#include "base/timeout.hpp"
#include "door/http_session.hpp"
#include "http/service.hpp"

namespace terminally {

/// An instance as it is served to programs.
struct ServedInstance {
  std::shared_ptr<const Core> core;
  PeerSettingsPtr view;  ///< of those who may only look
  PeerSettingsPtr exec;
  bool ends_with_process = false;  ///< what is under way when the process ends is cancelled

  [[nodiscard]] const PeerSettingsPtr& settings_of(Role role) const {
    return role == Role::exec ? exec : view;
  }
};

/// One instance, and all its clients over HTTP.
class Endpoint {
 public:
  static constexpr std::size_t kMostSessions = 1'000;     ///< of one token
  static constexpr Milliseconds kSessionKept{3'600'000};  ///< that nobody uses

  explicit Endpoint(ServedInstance instance) : instance_(std::move(instance)) {}

  [[nodiscard]] const ServedInstance& instance() const { return instance_; }

  /// A session that is not found yet: `admit` it once it is initialized. Null where there are too many.
  [[nodiscard]] HttpSessionPtr new_session(const Bearer& bearer);
  void admit(const HttpSessionPtr& session) { sessions_.emplace(session->id(), session); }
  /// Null where this caller has none of that id.
  [[nodiscard]] HttpSessionPtr find(std::string_view id, const Bearer& bearer) const;
  void drop(const HttpSessionPtr& session);
  [[nodiscard]] std::size_t sessions() const { return sessions_.size(); }

  /// The peer of one modern request.
  [[nodiscard]] std::shared_ptr<Peer> new_peer(const Bearer& bearer);
  /// Its client has hung up: what it asked is cancelled, soon.
  void give_up(std::shared_ptr<Peer> peer) const;

  /// Whether a token of that credential lets anybody in.
  using IsGood = std::function<bool(const std::string& credential)>;
  /// Lets go of what is kept for nobody: of clients whose token was replaced, and of those who are gone.
  void tidy(const IsGood& is_good);

  /// Answers what ends by itself until then, refuses the rest, and ends all streams.
  [[nodiscard]] Awaitable<void> finish(Clock::time_point by);

 private:
  struct Modern {
    std::weak_ptr<Peer> peer;
    std::string credential;
  };

  [[nodiscard]] bool make_room(const std::string& credential);
  [[nodiscard]] std::vector<std::shared_ptr<Peer>> peers() const;

  ServedInstance instance_;
  std::map<std::string, HttpSessionPtr, std::less<>> sessions_;
  std::vector<Modern> modern_;
};

}  // namespace terminally
