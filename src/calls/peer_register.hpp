#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "toolkit/peer_settings.hpp"

namespace terminally {

struct EndedCall;

/// The peers of a core, for whoever wants to know who is there, and what is told of their requests when they
/// end. Single-threaded, as the core is.
class PeerRegister {
 public:
  /// A peer as others know it.
  struct Entry {
    PeerSettingsPtr settings;
    std::string client;  ///< as its last initialize said, see client_name; empty until then
  };
  using EntryPtr = std::shared_ptr<Entry>;
  /// Is told of a request when it has got its answer, or is known to get none. What it throws is dropped.
  using Watcher = std::function<void(const EndedCall&)>;

  /// The peer is known as long as it holds its entry.
  [[nodiscard]] EntryPtr enter(PeerSettingsPtr settings);
  [[nodiscard]] std::vector<EntryPtr> all() const;

  void watch(Watcher watcher) { watchers_.push_back(std::move(watcher)); }
  [[nodiscard]] bool is_watched() const { return !watchers_.empty(); }
  void tell(const EndedCall& call) const;

 private:
  std::vector<std::weak_ptr<Entry>> entries_;
  std::size_t swept_at_ = 64;
  std::vector<Watcher> watchers_;
};

}  // namespace terminally
