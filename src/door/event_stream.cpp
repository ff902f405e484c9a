// Queues the messages of a stream, and keeps some for a client that comes back.
#include "door/event_stream.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

namespace terminally {
namespace {

std::optional<std::uint64_t> parse_count(std::string_view text) {
  std::uint64_t value = 0;
  const auto [rest, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = failed == std::errc() && rest == text.data() + text.size();
  return whole && std::to_string(value) == text ? std::optional(value) : std::nullopt;
}

}  // namespace

std::string to_string(const EventId& id) {
  return std::to_string(id.stream) + "-" + std::to_string(id.number);
}

std::optional<EventId> parse_event_id(std::string_view text) {
  const std::size_t dash = text.find('-');
  if (dash == std::string_view::npos) {
    return std::nullopt;
  }
  const auto stream = parse_count(text.substr(0, dash));
  const auto number = parse_count(text.substr(dash + 1));
  return stream && number ? std::optional(EventId{*stream, *number}) : std::nullopt;
}

bool EventStream::notify(std::string message, Delivery delivery) {
  if (delivery == Delivery::may_drop || number_ == 0) {
    if (number_ == 0 && std::ranges::find(unsent_, message, &Message::text) != unsent_.end()) {
      return true;
    }
    if (unsent_bytes_ > kBusyBytes) {
      return false;
    }
  }
  add({0, std::move(message), false, 0});
  return true;
}

void EventStream::reply(RpcReply reply) {
  add({0, std::move(reply.text), true, reply.error});
}

void EventStream::end() {
  ended_ = true;
  changed_.notify();
}

void EventStream::add(Message message) {
  message.number = ++added_;
  unsent_bytes_ += message.text.size();
  unsent_.push_back(std::move(message));
  changed_.notify();
}

const EventStream::Message* EventStream::next() const {
  return unsent_.empty() ? nullptr : &unsent_.front();
}

EventStream::Message EventStream::take() {
  Message message = std::move(unsent_.front());
  unsent_.pop_front();
  unsent_bytes_ -= message.text.size();
  if (resumable_) {
    kept_bytes_ += message.text.size();
    kept_.push_back(message);
    forget_old();
  }
  return message;
}

/// The last message is kept whatever its length: it is the reply, as a rule, for which the client comes back.
void EventStream::forget_old() {
  while (kept_.size() > 1 &&
         (kept_bytes_ - kept_.back().text.size() > kKeptBytes || kept_.size() > kKeptMessages)) {
    kept_bytes_ -= kept_.front().text.size();
    kept_.pop_front();
  }
}

void EventStream::go_back_behind(std::uint64_t number) {
  while (!kept_.empty() && kept_.back().number > number) {
    kept_bytes_ -= kept_.back().text.size();
    unsent_bytes_ += kept_.back().text.size();
    unsent_.push_front(std::move(kept_.back()));
    kept_.pop_back();
  }
}

Awaitable<bool> EventStream::wait_for_news(Clock::time_point until, std::uint64_t turn) {
  while (unsent_.empty() && !ended_ && turn_ == turn) {
    const bool changed = co_await changed_.wait_by(until);
    if (!changed) {
      co_return false;
    }
  }
  co_return true;
}

std::uint64_t EventStream::begin_turn() {
  left_at_.reset();
  ++turn_;
  changed_.notify();
  return turn_;
}

void EventStream::end_turn(std::uint64_t turn) {
  if (turn_ == turn) {
    left_at_ = Clock::now();
  }
}

}  // namespace terminally
