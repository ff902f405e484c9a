// Keeps what a legacy client finds again on its next connection.
#include "door/http_session.hpp"

#include <algorithm>
#include <utility>

#include "base/files.hpp"

namespace terminally {
namespace {

constexpr std::size_t kSessionIdBytes = 32;

bool is_read(const EventStream& stream) {
  return stream.turn() > 0 && !stream.left_at();
}

}  // namespace

HttpSession::HttpSession(std::shared_ptr<const Core> core, PeerSettingsPtr settings, std::string credential)
    : id_(random_hex(kSessionIdBytes)),
      credential_(std::move(credential)),
      own_(std::make_shared<EventStream>(0, true)),
      peer_(std::make_shared<Peer>(std::move(core), std::move(settings), own_)) {}

std::shared_ptr<EventStream> HttpSession::new_stream() {
  if (made_.size() > 2 * kMostStreams) {
    std::erase_if(made_, [](const std::weak_ptr<EventStream>& stream) { return stream.expired(); });
  }
  auto stream = std::make_shared<EventStream>(++last_stream_, true);
  made_.push_back(stream);
  return stream;
}

void HttpSession::keep(const std::shared_ptr<EventStream>& stream) {
  tidy();
  streams_.emplace(stream->number(), stream);
}

void HttpSession::tidy(Clock::time_point now) {
  std::size_t unread = 0;
  std::size_t bytes = 0;
  for (auto at = streams_.end(); at != streams_.begin();) {  // the newest first
    --at;
    const EventStream& stream = *at->second;
    if (is_read(stream)) {
      continue;
    }
    const auto left = stream.left_at();
    ++unread;
    bytes += stream.bytes();
    if (unread > kMostStreams || bytes > kMostKeptBytes ||
        (stream.has_ended() && left && now - *left > kStreamKept)) {
      at = streams_.erase(at);
    }
  }
}

std::shared_ptr<EventStream> HttpSession::find(std::uint64_t stream) const {
  const auto found = streams_.find(stream);
  return stream == 0 ? own_ : found == streams_.end() ? nullptr : found->second;
}

bool HttpSession::is_idle() const {
  return peer_->in_flight().size() == 0 && !is_read(*own_);
}

void HttpSession::close() {
  peer_->refuse_unanswered("This session has ended; what was begun goes on");
  peer_->close(false);
  own_->end();
  for (const std::weak_ptr<EventStream>& one : made_) {
    if (const auto stream = one.lock()) {
      stream->end();
    }
  }
}

}  // namespace terminally
