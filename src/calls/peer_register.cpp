// Keeps the list of a core's peers, and tells watchers of their requests.
#include "calls/peer_register.hpp"

#include <algorithm>
#include <exception>
#include <iostream>
#include <utility>

namespace terminally {

PeerRegister::EntryPtr PeerRegister::enter(PeerSettingsPtr settings) {
  constexpr std::size_t kLeast = 64;
  if (entries_.size() >= swept_at_) {  // each request of 2026-07-28 is a peer of its own
    std::erase_if(entries_, [](const std::weak_ptr<Entry>& entry) { return entry.expired(); });
    swept_at_ = std::max(kLeast, 2 * entries_.size());
  }
  auto entry = std::make_shared<Entry>(Entry{std::move(settings), ""});
  entries_.push_back(entry);
  return entry;
}

std::vector<PeerRegister::EntryPtr> PeerRegister::all() const {
  std::vector<EntryPtr> all;
  for (const std::weak_ptr<Entry>& one : entries_) {
    if (EntryPtr entry = one.lock()) {
      all.push_back(std::move(entry));
    }
  }
  return all;
}

void PeerRegister::tell(const EndedCall& call) const {
  for (const Watcher& watcher : watchers_) {
    try {
      watcher(call);
    } catch (const std::exception& error) {  // the request has its answer, whatever became of its record
      std::cerr << "terminally-mcp: a call was not put on record: " << error.what() << '\n';
    }
  }
}

}  // namespace terminally
