// Keeps the sessions and the peers of an instance, and ends them.
#include "door/endpoint.hpp"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <utility>

#include "mcp/tasks.hpp"

namespace terminally {

HttpSessionPtr Endpoint::new_session(const Bearer& bearer) {
  make_room();
  return sessions_.size() < kMostSessions
             ? std::make_shared<HttpSession>(instance_.core, instance_.settings_of(bearer.role),
                                             bearer.credential)
             : nullptr;
}

/// Sessions that nobody has used for an hour go, and where there are too many, the one that was idle longest.
void Endpoint::make_room() {
  auto oldest = sessions_.end();
  for (auto at = sessions_.begin(); at != sessions_.end();) {
    HttpSession& session = *at->second;
    if (session.is_idle() && Clock::now() - session.last_used() > kSessionKept) {
      session.close();
      at = sessions_.erase(at);
      continue;
    }
    const bool older = oldest == sessions_.end() || session.last_used() < oldest->second->last_used();
    oldest = session.is_idle() && older ? at : oldest;
    ++at;
  }
  if (sessions_.size() >= kMostSessions && oldest != sessions_.end()) {
    oldest->second->close();
    sessions_.erase(oldest);
  }
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
    std::erase_if(modern_, [](const std::weak_ptr<Peer>& peer) { return peer.expired(); });
  }
  auto peer = std::make_shared<Peer>(instance_.core, instance_.settings_of(bearer.role), nullptr);
  modern_.push_back(peer);
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
  for (const auto& [id, session] : sessions_) {
    all.push_back(session->shared_peer());
  }
  for (const std::weak_ptr<Peer>& one : modern_) {
    if (auto peer = one.lock()) {
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
