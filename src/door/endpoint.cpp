// Keeps the sessions and the peers of an instance, and ends them.
#include "door/endpoint.hpp"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <utility>

#include "mcp/tasks.hpp"

namespace terminally {

HttpSessionPtr Endpoint::new_session(const Bearer& bearer) {
  return make_room(bearer.credential)
             ? std::make_shared<HttpSession>(instance_.core, instance_.settings_of(bearer.role),
                                             bearer.credential)
             : nullptr;
}

/// Of those of one token, the one that was idle longest goes where there are too many.
bool Endpoint::make_room(const std::string& credential) {
  std::size_t own = 0;
  auto oldest = sessions_.end();
  for (auto at = sessions_.begin(); at != sessions_.end(); ++at) {
    const HttpSession& session = *at->second;
    if (session.credential() != credential) {
      continue;
    }
    ++own;
    if (session.is_idle() &&
        (oldest == sessions_.end() || session.last_used() < oldest->second->last_used())) {
      oldest = at;
    }
  }
  if (own >= kMostSessions && oldest != sessions_.end()) {
    oldest->second->close();
    sessions_.erase(oldest);
    --own;
  }
  return own < kMostSessions;
}

void Endpoint::tidy(const IsGood& is_good) {
  std::erase_if(sessions_, [&is_good](const auto& entry) {
    HttpSession& session = *entry.second;
    session.tidy();
    const bool stays = is_good(session.credential()) &&
                       (!session.is_idle() || Clock::now() - session.last_used() <= kSessionKept);
    if (!stays) {
      session.close();
    }
    return !stays;
  });
  std::erase_if(modern_, [&](const Modern& one) {
    const auto peer = one.peer.lock();
    if (peer && !is_good(one.credential)) {
      peer->refuse_unanswered("The token is good for nothing any more, and this call was ended");
      peer->give_up();
    }
    return peer == nullptr;
  });
}

HttpSessionPtr Endpoint::find(std::string_view id, const Bearer& bearer) const {
  const auto found = sessions_.find(id);
  const bool is_own = found != sessions_.end() && found->second->credential() == bearer.credential;
  return is_own ? found->second : nullptr;
}

void Endpoint::drop(const HttpSessionPtr& session) {
  session->close();
  sessions_.erase(session->id());
}

std::shared_ptr<Peer> Endpoint::new_peer(const Bearer& bearer) {
  constexpr std::size_t kSweptAt = 1'024;
  if (modern_.size() >= kSweptAt) {
    std::erase_if(modern_, [](const Modern& one) { return one.peer.expired(); });
  }
  auto peer = std::make_shared<Peer>(instance_.core, instance_.settings_of(bearer.role), nullptr);
  modern_.push_back({peer, bearer.credential});
  return peer;
}

/// Later, as this is called while a connection's coroutine is taken down.
void Endpoint::give_up(std::shared_ptr<Peer> peer) const {
  boost::asio::post(instance_.core->executor, [peer = std::move(peer)] {
    peer->give_up();
    peer->close(false);
  });
}

std::vector<std::shared_ptr<Peer>> Endpoint::peers() const {
  std::vector<std::shared_ptr<Peer>> all;
  all.reserve(sessions_.size() + modern_.size());
  for (const auto& [id, session] : sessions_) {
    all.push_back(session->shared_peer());
  }
  for (const Modern& one : modern_) {
    if (auto peer = one.peer.lock()) {
      all.push_back(std::move(peer));
    }
  }
  return all;
}

Awaitable<void> Endpoint::finish(Clock::time_point by) {
  constexpr Milliseconds kLastWords{100};
  const std::vector<std::shared_ptr<Peer>> all = peers();
  for (const auto& peer : all) {  // all have until then: they work side by side
    co_await run_until(by, peer->wait_for_answers());
  }
  const auto last = Clock::now() + kLastWords;
  for (const auto& peer : all) {
    peer->refuse_unanswered("The server ends, and this call was not finished in time");
    co_await run_until(last, peer->end_subscriptions());
  }
  for (const auto& peer : all) {
    peer->close(instance_.ends_with_process);
  }
  for (const auto& [id, session] : sessions_) {
    session->close();
  }
  if (instance_.ends_with_process) {
    instance_.core->tasks->stop();
  }
}

}  // namespace terminally
