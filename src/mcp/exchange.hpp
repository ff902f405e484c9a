#pragma once

#include <boost/asio/cancellation_signal.hpp>
#include <cstddef>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "mcp/json_rpc.hpp"
#include "mcp/outlet.hpp"
#include "mcp/progress.hpp"
#include "mcp/revisions.hpp"

namespace terminally {

/// What lives as long as one request of a peer: what it asks, where its reply and its notifications go, and
/// its cancellation. It has one reply, or none when its client gave it up or the peer went away. Nothing of
/// it is sent afterwards, and what its transport gave it to send by is let go then.
class Exchange {
 public:
  /// Takes the reply; empty: there will be none. Once.
  using Reply = std::function<void(std::string message)>;

  /// `bytes`: the length of its text. Its notifications go to `stream`.
  Exchange(RpcMessage request, std::size_t bytes, std::shared_ptr<Stream> stream, Reply reply);

  /// Now it is known by which revision it is meant, whose it is (for the record of commands; may be empty),
  /// and whether it has an end of its own. Throws `ProtocolError` for a progress token that is none.
  void admit(Revision revision, std::string client, bool lasts);

  [[nodiscard]] const std::string& id() const { return request_.id; }    ///< as JSON text
  [[nodiscard]] const std::string& key() const { return request_.key; }  ///< what its id is known by
  [[nodiscard]] const std::string& method() const { return request_.method; }
  [[nodiscard]] const std::shared_ptr<const nlohmann::json>& params() const { return request_.params; }
  [[nodiscard]] Revision revision() const { return revision_; }
  [[nodiscard]] const std::string& client() const { return client_; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  [[nodiscard]] bool lasts() const { return lasts_; }

  /// For its notifications. Closed with its reply.
  [[nodiscard]] const std::shared_ptr<Outlet>& outlet() const { return outlet_; }
  /// Null when the client asked for none.
  [[nodiscard]] const std::shared_ptr<ProgressSink>& progress() const { return progress_; }

  /// Says what is to be taken back when the client has cancelled the request and hears no answer.
  void undo_if_cancelled(std::function<void()> undo) { undo_ = std::move(undo); }

  [[nodiscard]] bool wants_reply() const { return state_ == State::open; }
  /// Its reply; only while one is wanted.
  void reply(std::string message);
  /// The client gave up: no reply, no further notification.
  void cancel();
  /// The peer went away. With `stop` the work is cancelled too.
  void abandon(bool stop);
  /// The work is over. If the client has cancelled it, what it began is taken back.
  void end();

  [[nodiscard]] boost::asio::cancellation_slot cancellation() { return cancel_.slot(); }

 private:
  enum class State { open, replied, cancelled, abandoned };

  void silence(State why);

  RpcMessage request_;
  std::size_t bytes_;
  std::shared_ptr<Outlet> outlet_;
  Reply reply_;
  Revision revision_ = kNewestLegacy;
  std::string client_;
  bool lasts_ = false;
  std::shared_ptr<ProgressSink> progress_;
  std::function<void()> undo_;
  boost::asio::cancellation_signal cancel_;
  State state_ = State::open;
  bool given_up_ = false;  ///< by its client: what it began is taken back
};

using ExchangePtr = std::shared_ptr<Exchange>;

}  // namespace terminally
