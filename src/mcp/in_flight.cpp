#include "mcp/in_flight.hpp"

#include <boost/asio/cancellation_type.hpp>
#include <utility>

#include "mcp/json_rpc.hpp"

namespace terminally {

InFlight::Entry& InFlight::add(const std::string& key, std::size_t bytes, bool ends_things) {
  if (entries_.contains(key)) {
    throw ProtocolError(kInvalidRequest, "Invalid request: id " + key + " is still in use");
  }
  if (entries_.size() >= kMax + (ends_things ? kReserve : 0)) {
    throw ProtocolError(kInternalError, "Too many requests at once: " + std::to_string(entries_.size()) +
                                            " are unanswered; ping, tasks/cancel, cancel_command, "
                                            "stop_process and close_tab are still taken");
  }
  Entry& entry = entries_[key];
  entry.bytes = bytes;
  bytes_ += bytes;
  return entry;
}

void InFlight::watch(const std::string& key, std::shared_ptr<ProgressSink> progress) {
  const auto found = entries_.find(key);
  if (found == entries_.end() || found->second.reply != Entry::Reply::wanted) {
    return progress->close();
  }
  found->second.progress = std::move(progress);
}

void InFlight::undo_if_cancelled(const std::string& key, std::function<void()> undo) {
  const auto found = entries_.find(key);
  if (found != entries_.end()) {
    found->second.undo = std::move(undo);
  }
}

void InFlight::lasts(const std::string& key) {
  const auto found = entries_.find(key);
  if (found != entries_.end() && !std::exchange(found->second.lasts, true)) {
    ++lasting_;
  }
}

InFlight::Entry::Reply InFlight::remove(const std::string& key) {
  const auto found = entries_.find(key);
  if (found == entries_.end()) {
    return Entry::Reply::abandoned;
  }
  Entry& entry = found->second;
  const Entry::Reply reply = entry.reply;
  const std::function<void()> undo = std::move(entry.undo);
  if (entry.progress && reply == Entry::Reply::wanted) {
    entry.progress->answered();
  }
  bytes_ -= entry.bytes;
  lasting_ -= entry.lasts ? 1 : 0;
  entries_.erase(found);
  if (reply == Entry::Reply::cancelled && undo) {
    undo();
  }
  return reply;
}

void InFlight::refuse_ending(const ProtocolError& why) {
  for (auto& [key, entry] : entries_) {
    if (entry.reply == Entry::Reply::wanted && !entry.lasts) {
      silence(entry, Entry::Reply::given);
      entry.refuse(why);
    }
  }
}

void InFlight::cancel(const std::string& key) {
  const auto found = entries_.find(key);
  if (found != entries_.end()) {
    silence(found->second, Entry::Reply::cancelled);
    found->second.cancel.emit(boost::asio::cancellation_type::terminal);
  }
}

void InFlight::abandon(bool stop) {
  for (auto& [key, entry] : entries_) {
    silence(entry, entry.reply == Entry::Reply::given ? entry.reply : Entry::Reply::abandoned);
    if (stop) {
      entry.cancel.emit(boost::asio::cancellation_type::terminal);
    }
  }
}

void InFlight::silence(Entry& entry, Entry::Reply why) {
  entry.reply = why;
  if (entry.progress) {
    entry.progress->close();
  }
}

}  // namespace terminally
