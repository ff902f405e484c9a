#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/awaitable.hpp"
#include "base/event.hpp"
#include "base/timeout.hpp"
#include "mcp/outlet.hpp"

namespace terminally {

/// The place of an event in a session: its stream, and its number there. As text "STREAM-NUMBER".
struct EventId {
  std::uint64_t stream = 0;
  std::uint64_t number = 0;
};

[[nodiscard]] std::string to_string(const EventId& id);
/// Nothing for what to_string does not make.
[[nodiscard]] std::optional<EventId> parse_event_id(std::string_view text);

/// The messages that answer one text, or those of a session that answer none, on their way to a client. It
/// outlives the connections that carry it: one that can be resumed keeps the last of what was taken, so that
/// a client that has lost its connection goes on behind what it has.
///
/// A reader takes its turn; the reader before it finds that it has lost its own.
class EventStream : public Stream {
 public:
  static constexpr std::size_t kBusyBytes = std::size_t{256} << 10U;  ///< unsent; above: may_drop is refused
  static constexpr std::size_t kKeptBytes = std::size_t{256} << 10U;  ///< sent; the last message counts not
  static constexpr std::size_t kKeptMessages = 256;                   ///< sent

  struct Message {
    std::uint64_t number = 0;  ///< from 1 on
    std::string text;
    bool is_reply = false;
    int error = 0;  ///< of a reply
  };

  /// Stream 0 is the session's own: perhaps nobody ever reads it, so there a message that waits already is
  /// not said once more, and any may be dropped.
  EventStream(std::uint64_t number, bool resumable) : number_(number), resumable_(resumable) {}

  bool notify(std::string message, Delivery delivery) override;
  void reply(RpcReply reply) override;
  void end() override;

  /// The next one to be sent; null where none waits. Valid until the next call of anything here.
  [[nodiscard]] const Message* next() const;
  /// That one, which counts as sent.
  [[nodiscard]] Message take();
  /// Goes back behind the message of this number, or as far as messages are kept.
  void go_back_behind(std::uint64_t number);
  /// Nothing more comes, and all was sent.
  [[nodiscard]] bool is_done() const { return ended_ && next() == nullptr; }
  [[nodiscard]] bool has_ended() const { return ended_; }
  /// Returns when there is something to take, or it has ended, or has another reader; or then. Says whether.
  [[nodiscard]] Awaitable<bool> wait_for_news(Clock::time_point until, std::uint64_t turn);

  [[nodiscard]] std::uint64_t begin_turn();
  [[nodiscard]] std::uint64_t turn() const { return turn_; }
  /// The reader of that turn is gone.
  void end_turn(std::uint64_t turn);
  /// Nobody has read it since then; nothing while somebody reads.
  [[nodiscard]] std::optional<Clock::time_point> left_at() const { return left_at_; }

  [[nodiscard]] std::uint64_t number() const { return number_; }
  /// What it takes: its messages that wait, and those that are kept.
  [[nodiscard]] std::size_t bytes() const { return kept_bytes_ + unsent_bytes_; }
  /// Of the last message that was sent.
  [[nodiscard]] std::uint64_t sent() const { return unsent_.empty() ? added_ : unsent_.front().number - 1; }

 private:
  void add(Message message);
  void forget_old();

  std::uint64_t number_;
  bool resumable_;
  std::deque<Message> kept_;    ///< sent; the newest is last
  std::deque<Message> unsent_;  ///< the oldest is first
  std::size_t kept_bytes_ = 0;
  std::size_t unsent_bytes_ = 0;
  std::uint64_t added_ = 0;
  std::uint64_t turn_ = 0;
  std::optional<Clock::time_point> left_at_;
  bool ended_ = false;
  Event changed_;
};

}  // namespace terminally
