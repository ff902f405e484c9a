#pragma once

#include <boost/asio/cancellation_signal.hpp>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "json/json_rpc.hpp"
#include "mcp/outlet.hpp"
#include "mcp/progress.hpp"
#include "mcp/revisions.hpp"

namespace terminally {

/// One request of a peer: its message, where its reply and its notifications go, and its cancellation. A
/// request has one reply, or none when its client cancelled it or the peer went away. Nothing of the request
/// is sent afterwards, and its transport's stream is released then.
class Exchange {
 public:
  /// Gets the reply, empty where there will be none. Called once.
  using Reply = std::function<void(RpcReply)>;

  /// `bytes` is the length of the request's text. Its notifications go to `stream`. `held` is let go of with
  /// it.
  Exchange(RpcMessage request, std::size_t bytes, std::shared_ptr<Stream> stream, Reply reply,
           std::shared_ptr<const void> held = nullptr);

  /// Sets the request's revision, its client (for the record of commands; may be empty), and whether it lasts
  /// until the client or the peer ends it. Throws `ProtocolError` for a malformed progress token.
  void admit(Revision revision, std::string client, bool lasts);

  [[nodiscard]] const std::string& id() const { return request_.id; }    ///< as JSON text
  [[nodiscard]] const std::string& key() const { return request_.key; }  ///< the id's key, see id_key
  [[nodiscard]] const std::string& method() const { return request_.method; }
  [[nodiscard]] const std::shared_ptr<const nlohmann::json>& params() const { return request_.params; }
  [[nodiscard]] bool admitted() const { return admitted_.has_value(); }
  [[nodiscard]] Revision revision() const { return admitted_ ? admitted_->revision : kNewestLegacy; }
  /// To be asked of an admitted one.
  [[nodiscard]] const std::string& client() const { return admitted_->client; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  [[nodiscard]] bool lasts() const { return admitted_ && admitted_->lasts; }

  /// For the request's notifications. Closed by the reply.
  [[nodiscard]] const std::shared_ptr<Outlet>& outlet() const { return outlet_; }
  /// Null when the client asked for no progress.
  [[nodiscard]] const std::shared_ptr<ProgressSink>& progress() const { return progress_; }

  /// `undo` takes back what the request began, if the client cancels it and so gets no answer.
  void undo_if_cancelled(std::function<void()> undo) { undo_ = std::move(undo); }

  /// Why the tool failed that was called, as its answer does not say it in one word.
  void note_tool_error(ErrorCode code) { tool_error_ = code; }
  [[nodiscard]] const std::optional<ErrorCode>& tool_error() const { return tool_error_; }

  [[nodiscard]] bool wants_reply() const { return state_ == State::open; }
  /// Sends the reply; only while `wants_reply`.
  void reply(RpcReply reply);
  /// The client cancelled the request: no reply, no further notification.
  void cancel();
  /// The peer went away. With `stop` the work is cancelled too.
  void abandon(bool stop);
  /// The work is over. Calls the undo if the client has cancelled the request.
  void end();

  [[nodiscard]] boost::asio::cancellation_slot cancellation() { return cancel_.slot(); }

 private:
  enum class State { open, replied, cancelled, abandoned };
  struct Admission {
    Revision revision = kNewestLegacy;
    std::string client;
    bool lasts = false;
  };

  void silence(State why);

  std::shared_ptr<const void> held_;
  RpcMessage request_;
  std::size_t bytes_;
  std::shared_ptr<Outlet> outlet_;
  Reply reply_;
  std::optional<Admission> admitted_;
  std::optional<ErrorCode> tool_error_;
  std::shared_ptr<ProgressSink> progress_;
  std::function<void()> undo_;
  boost::asio::cancellation_signal cancel_;
  State state_ = State::open;
  bool given_up_ = false;  ///< cancelled by the client: `end` calls the undo
};

using ExchangePtr = std::shared_ptr<Exchange>;

/// The unfinished exchanges of one peer, by the key of their id. Each peer has ids of its own.
class InFlight {
 public:
  static constexpr std::size_t kMax = 1'000;
  static constexpr std::size_t kReserve = 100;  ///< beyond kMax, for requests that end something
  /// What their texts may take; above it the transport takes no more of them.
  static constexpr std::size_t kMostHeldBytes = std::size_t{64} << 20U;

  /// Throws `ProtocolError` when the id is taken or there are too many. With `ends_things` the exchange may
  /// use the reserve.
  void add(const ExchangePtr& exchange, bool ends_things);
  void remove(const Exchange& exchange);

  /// Null when the exchange is unknown or done.
  [[nodiscard]] ExchangePtr find(const std::string& key) const;
  [[nodiscard]] std::vector<ExchangePtr> all() const;

  [[nodiscard]] std::size_t size() const { return exchanges_.size(); }
  [[nodiscard]] bool has_room() const { return bytes_ <= kMostHeldBytes; }
  /// The number of exchanges that only their client or the peer ends.
  [[nodiscard]] std::size_t lasting() const;

 private:
  std::map<std::string, ExchangePtr> exchanges_;
  std::size_t bytes_ = 0;
};

}  // namespace terminally
