#pragma once

#include <boost/asio/cancellation_signal.hpp>
#include <cstddef>
#include <map>
#include <memory>
#include <string>

#include "mcp/progress.hpp"

namespace terminally {

/// The requests of one connection that have no reply yet, by the JSON text of their id.
class InFlight {
 public:
  static constexpr std::size_t kMax = 1'000;

  struct Entry {
    boost::asio::cancellation_signal cancel;
    std::shared_ptr<ProgressSink> progress;  ///< null when the client asked for none
    bool wants_reply = true;
  };

  /// The place of a new request; it stays put until `remove`. Throws `ProtocolError` when the id is taken or
  /// there are too many.
  Entry& add(const std::string& id);

  /// Its progress is closed with it. Nothing happens when the request is gone already.
  void watch(const std::string& id, std::shared_ptr<ProgressSink> progress);

  /// The request is done: closes its progress and says whether its reply is to be sent.
  bool remove(const std::string& id);

  /// The client gave up: no reply, no further notification. An id that is unknown or done is ignored.
  void cancel(const std::string& id);

  /// The connection is over: nothing of any request is to be sent. With `stop` the work is cancelled too.
  void abandon(bool stop);

  [[nodiscard]] std::size_t size() const { return entries_.size(); }

 private:
  static void silence(Entry& entry);

  std::map<std::string, Entry> entries_;
};

}  // namespace terminally
