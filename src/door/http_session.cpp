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
  return std::make_shared<EventStream>(++last_stream_, true);
}

void HttpSession::keep(const std::shared_ptr<EventStream>& stream) {
  std::erase_if(streams_, [](const auto& entry) {
    const auto left = entry.second->left_at();
    return left && entry.second->has_ended() && Clock::now() - *left > kStreamKept;
  });
  if (streams_.size() >= kMostStreams) {
    const auto unread =
        std::ranges::find_if(streams_, [](const auto& entry) { return !is_read(*entry.second); });
    streams_.erase(unread == streams_.end() ? streams_.begin() : unread);
  }
  streams_.emplace(stream->number(), stream);
}

std::shared_ptr<EventStream> HttpSession::find(std::uint64_t stream) const {
  const auto found = streams_.find(stream);
  return stream == 0 ? own_ : found == streams_.end() ? nullptr : found->second;
}

bool HttpSession::is_idle() const {
  return peer_->in_flight() == 0 && !is_read(*own_);
}

void HttpSession::close() {
  peer_->close(false);
  own_->end();
  for (const auto& [number, stream] : streams_) {
    stream->end();
  }
}

}  // namespace terminally
