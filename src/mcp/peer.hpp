#pragma once

#include <boost/asio/awaitable.hpp>
#include <exception>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "base/event.hpp"
#include "json/json_rpc.hpp"
#include "mcp/asks.hpp"
#include "mcp/core.hpp"
#include "mcp/exchange.hpp"
#include "mcp/left_running.hpp"
#include "mcp/subscriptions.hpp"
#include "toolkit/peer_settings.hpp"

namespace terminally {

/// What lives as long as a client's session, whatever carries it: what was negotiated, who the client is, its
/// subscriptions, its requests in flight. Texts in, messages out.
///
/// Requests are served side by side, each an Exchange with a coroutine of its own. Each has exactly one
/// reply, because replies are sent in one place, the completion handler of that coroutine; a request that the
/// client cancelled has none, and nothing of a request follows its reply. The protocol revision is decided
/// for each message on its own. No message is longer than kMostMessageBytes.
///
/// Single-threaded: every call on the core's executor. Held by shared_ptr; calls still under way keep it
/// alive after `close`.
class Peer : public std::enable_shared_from_this<Peer> {
 public:
  /// `unasked` is for what belongs to no request: nothing of it is a reply.
  Peer(std::shared_ptr<const Core> core, PeerSettingsPtr settings, std::shared_ptr<Stream> unasked);

  /// One text from the client: a message, or a batch. What answers it, and the notifications of its requests,
  /// go to `stream`, which is ended when the last of them is done, with a reply or without. Does not wait and
  /// does not throw.
  void receive(std::string_view text, const std::shared_ptr<Stream>& stream);

  /// The same for a text of so many bytes that its transport had to read itself. `held` is let go of when the
  /// last of its requests is over, answered or not: what it takes is taken until then.
  void receive(const RpcInput& input, std::size_t bytes, const std::shared_ptr<Stream>& stream,
               const std::shared_ptr<const void>& held = nullptr);

  /// Returns when there is room for another request.
  [[nodiscard]] boost::asio::awaitable<void> wait_for_room();

  /// Returns when all that ends by itself is answered: a subscription does not.
  [[nodiscard]] boost::asio::awaitable<void> wait_for_answers();

  /// What is not answered by now gets this as an error: there is no time left for it. It goes on.
  void refuse_unanswered(const std::string& why);

  /// As if the client had cancelled all that it asked: what was begun is taken back.
  void give_up();

  /// Subscriptions get their results, and end. Returns when they have.
  [[nodiscard]] boost::asio::awaitable<void> end_subscriptions();

  /// The client is gone: nothing is sent from here on. `stop_calls` also cancels what is under way. Its tasks
  /// are the core's, and go on.
  void close(bool stop_calls);

  [[nodiscard]] const InFlight& in_flight() const { return in_flight_; }

  // What methods work on.

  [[nodiscard]] const Core& core() const { return *core_; }
  [[nodiscard]] Subscriptions& subscriptions() { return subscriptions_; }
  /// For what belongs to no request.
  [[nodiscard]] const std::shared_ptr<Outlet>& outlet() const { return outlet_; }
  [[nodiscard]] const PeerSettingsPtr& settings() const { return known_->settings; }
  [[nodiscard]] const std::shared_ptr<LeftRunning>& left_running() const { return left_running_; }
  /// For what a request needs to know from its client.
  [[nodiscard]] Asks& asks() { return asks_; }

  /// What the last initialize has brought. Until one comes, the newest legacy revision holds.
  void agree_on(Revision revision, std::string client);
  [[nodiscard]] Revision negotiated() const { return negotiated_; }

 private:
  void receive_batch(const RpcInput& input, std::size_t bytes, const std::shared_ptr<Stream>& stream,
                     const std::shared_ptr<const void>& held);
  void refuse_batch(const RpcInput& input, const ProtocolError& error, Stream& stream);
  void handle(const RpcMessage& message, std::size_t bytes, const std::shared_ptr<Stream>& stream,
              const Exchange::Reply& reply, const std::shared_ptr<const void>& held);
  void start(const ExchangePtr& exchange);
  boost::asio::awaitable<nlohmann::ordered_json> answer(ExchangePtr exchange);
  void notice(const RpcMessage& notification);

  [[nodiscard]] RpcReply error_reply(const std::string& id, const ProtocolError& error) const;

  std::shared_ptr<const Core> core_;
  PeerRegister::EntryPtr known_;  ///< in the core's register
  std::shared_ptr<Outlet> outlet_;
  std::shared_ptr<LeftRunning> left_running_ = std::make_shared<LeftRunning>();
  Revision negotiated_ = kNewestLegacy;
  Subscriptions subscriptions_;
  InFlight in_flight_;
  Asks asks_;
  Event exchange_ended_;  ///< each time that one does
  bool closed_ = false;
};

/// Whether a request is taken even where too many others are unanswered: a client that has to wait for these
/// cannot help itself.
[[nodiscard]] bool ends_things(const Router& router, const std::string& method, const nlohmann::json& params);

}  // namespace terminally
