#pragma once

#include <boost/asio/cancellation_signal.hpp>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "mcp/json_rpc.hpp"
#include "mcp/progress.hpp"

namespace terminally {

/// The requests of one connection that have no reply yet, by the key of their id.
class InFlight {
 public:
  static constexpr std::size_t kMax = 1'000;
  static constexpr std::size_t kReserve = 100;  ///< beyond kMax, for what ends things

  struct Entry {
    boost::asio::cancellation_signal cancel;
    std::shared_ptr<ProgressSink> progress;  ///< null when the client asked for none
    std::function<void()> undo;              ///< takes back what goes on after an answer that nobody heard
    std::function<void(const ProtocolError&)> refuse;  ///< answers it with an error
    std::size_t bytes = 0;                             ///< of its text
    bool lasts = false;                                ///< it ends when its client or the connection does
    enum class Reply { wanted, cancelled, abandoned, given } reply = Reply::wanted;
  };

  /// The place of a new request, whose text has so many bytes; it stays put until `remove`. Throws
  /// `ProtocolError` when the id is taken or there are too many. `ends_things`: the reserve is there for it.
  Entry& add(const std::string& key, std::size_t bytes, bool ends_things);

  /// Its progress is closed with it, unless it goes on in a task. Nothing happens when the request is gone
  /// already.
  void watch(const std::string& key, std::shared_ptr<ProgressSink> progress);

  /// What the client's cancelling takes back, at whatever moment it comes. Run when the request is done.
  void undo_if_cancelled(const std::string& key, std::function<void()> undo);

  /// It has no end of its own.
  void lasts(const std::string& key);

  /// The request is done: closes its progress and says what is to become of its reply. If the client has
  /// cancelled it, what it began is taken back.
  Entry::Reply remove(const std::string& key);

  /// Answers those that would be answered by themselves with an error: there is no time left to wait for
  /// them.
  void refuse_ending(const ProtocolError& why);

  /// The client gave up: no reply, no further notification. A key that is unknown or done is ignored.
  void cancel(const std::string& key);

  /// The connection is over: nothing of any request is to be sent. With `stop` the work is cancelled too.
  void abandon(bool stop);

  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  /// Of the texts of all of them.
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  /// How many of them will be answered by themselves, or only end with the connection.
  [[nodiscard]] std::size_t ending() const { return entries_.size() - lasting_; }
  [[nodiscard]] std::size_t lasting() const { return lasting_; }

 private:
  static void silence(Entry& entry, Entry::Reply why);

  std::map<std::string, Entry> entries_;
  std::size_t bytes_ = 0;
  std::size_t lasting_ = 0;
};

}  // namespace terminally
