#include "mcp/in_flight.hpp"

#include <boost/asio/cancellation_type.hpp>
#include <utility>

#include "mcp/json_rpc.hpp"

namespace terminally {

InFlight::Entry& InFlight::add(const std::string& id) {
  if (entries_.contains(id)) {
    throw ProtocolError(kInvalidRequest, "Invalid request: id " + id + " is still in use");
  }
  if (entries_.size() == kMax) {
    throw ProtocolError(kInternalError,
                        "Too many requests at once: " + std::to_string(kMax) + " are unanswered");
  }
  return entries_[id];
}

void InFlight::watch(const std::string& id, std::shared_ptr<ProgressSink> progress) {
  const auto found = entries_.find(id);
  if (found == entries_.end() || !found->second.wants_reply) {
    return progress->close();
  }
  found->second.progress = std::move(progress);
}

bool InFlight::remove(const std::string& id) {
  const auto found = entries_.find(id);
  if (found == entries_.end()) {
    return false;
  }
  const bool wants_reply = found->second.wants_reply;
  silence(found->second);
  entries_.erase(found);
  return wants_reply;
}

void InFlight::cancel(const std::string& id) {
  const auto found = entries_.find(id);
  if (found != entries_.end()) {
    silence(found->second);
    found->second.cancel.emit(boost::asio::cancellation_type::terminal);
  }
}

void InFlight::abandon(bool stop) {
  for (auto& [id, entry] : entries_) {
    silence(entry);
    if (stop) {
      entry.cancel.emit(boost::asio::cancellation_type::terminal);
    }
  }
}

void InFlight::silence(Entry& entry) {
  entry.wants_reply = false;
  if (entry.progress) {
    entry.progress->close();
  }
}

}  // namespace terminally
