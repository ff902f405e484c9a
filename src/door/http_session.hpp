#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/timeout.hpp"
#include "door/event_stream.hpp"
#include "mcp/core.hpp"
#include "mcp/peer.hpp"
#include "toolkit/peer_settings.hpp"

namespace terminally {

/// A legacy client's session: its peer, and the streams by which it is told things. It outlives connections.
class HttpSession {
 public:
  // Of streams that nobody reads: what is kept for a client that comes back.
  static constexpr std::size_t kMostStreams = 64;
  static constexpr std::size_t kMostKeptBytes = std::size_t{16} << 20U;
  static constexpr Milliseconds kStreamKept{120'000};

  /// `credential`: of the token that opened it; another one does not find it.
  HttpSession(std::shared_ptr<const Core> core, PeerSettingsPtr settings, std::string credential);

  [[nodiscard]] const std::string& id() const { return id_; }
  [[nodiscard]] const std::string& credential() const { return credential_; }
  [[nodiscard]] Peer& peer() { return *peer_; }
  [[nodiscard]] const std::shared_ptr<Peer>& shared_peer() const { return peer_; }

  [[nodiscard]] std::shared_ptr<EventStream> new_stream();
  /// Has the client find the stream when it comes back, for as long as it is read and two minutes more, where
  /// there is room for it.
  void keep(const std::shared_ptr<EventStream>& stream);
  /// Lets go of streams that were kept for long enough, and of the oldest ones where there are too many.
  void tidy(Clock::time_point now = Clock::now());
  /// 0: the session's own. Null where there is none, or no longer.
  [[nodiscard]] std::shared_ptr<EventStream> find(std::uint64_t stream) const;

  void note_use() { last_used_ = Clock::now(); }
  [[nodiscard]] Clock::time_point last_used() const { return last_used_; }
  /// Nothing is under way, and nobody listens.
  [[nodiscard]] bool is_idle() const;

  /// Ends its streams. What it began goes on.
  void close();

 private:
  std::string id_;
  std::string credential_;
  std::shared_ptr<EventStream> own_;
  std::shared_ptr<Peer> peer_;
  std::map<std::uint64_t, std::shared_ptr<EventStream>> streams_;  ///< kept
  std::vector<std::weak_ptr<EventStream>> made_;
  std::uint64_t last_stream_ = 0;
  Clock::time_point last_used_ = Clock::now();
};

using HttpSessionPtr = std::shared_ptr<HttpSession>;

}  // namespace terminally
