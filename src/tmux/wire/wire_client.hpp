#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <memory>
#include <string>

#include "base/awaitable.hpp"
#include "system/unix_peer.hpp"
#include "tmux/wire/wire_messages.hpp"

namespace terminally {

/// A client of a tmux server in control mode, without a process: we say on its socket what `tmux -C` would
/// say, in another order (wire_messages.hpp). Is in the session of the channels, under their name
/// (channel_session.hpp), sees no output and has no size.
class WireClient {
 public:
  /// `server`: with a connection. Where it does not take us, the client has ended.
  WireClient(const boost::asio::any_io_executor& executor, UnixPeer server, WireForm form);
  WireClient(const WireClient&) = delete;
  WireClient& operator=(const WireClient&) = delete;
  /// tmux sees its end at once.
  ~WireClient();

  /// The server, or a person, has ended it, as far as is known here by now. What it had said before can still
  /// be read.
  [[nodiscard]] bool has_ended();
  /// tmux refused us so as where it does not know the form of our messages: without a word.
  [[nodiscard]] bool was_spoken_to() const;
  /// As those of ChildProcess.
  [[nodiscard]] Awaitable<bool> write(std::string text);
  [[nodiscard]] Awaitable<std::string> read_some();
  [[nodiscard]] Awaitable<void> ended();
  void end();

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace terminally
