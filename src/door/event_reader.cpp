// Writes the messages of a stream as Server-Sent Events.
#include "door/event_reader.hpp"

#include <utility>

namespace terminally {
namespace {

// A piece counts as sent before it is: a stream keeps more than two of them.
constexpr std::size_t kPieceBytes = std::size_t{64} << 10U;
constexpr std::size_t kPieceMessages = 64;

}  // namespace

EventReader::EventReader(std::shared_ptr<EventStream> events, EventForm form, std::function<void()> on_end,
                         Milliseconds quiet_for)
    : events_(std::move(events)),
      form_(form),
      on_end_(std::move(on_end)),
      quiet_for_(quiet_for),
      turn_(events_->begin_turn()) {}

EventReader::~EventReader() {
  events_->end_turn(turn_);
  on_end_();
}

Awaitable<bool> EventReader::wait_for_news(Clock::time_point until) {
  return events_->wait_for_news(until, turn_);
}

Awaitable<std::string> EventReader::read() {
  if (!std::exchange(begun_, true) && form_.primes) {
    const EventId id{events_->number(), events_->sent()};
    co_return "retry: 1000\nid: " + to_string(id) + "\ndata: \n\n";
  }
  const bool news = co_await wait_for_news(Clock::now() + quiet_for_);
  if (!news) {
    co_return ":\n\n";
  }
  co_return events_->turn() == turn_ ? waiting_events() : std::string();
}

std::string EventReader::waiting_events() {
  std::string text;
  for (std::size_t messages = 0;
       events_->next() != nullptr && messages < kPieceMessages && text.size() < kPieceBytes; ++messages) {
    const EventStream::Message message = events_->take();
    text += "event: message\n";
    if (form_.ids) {
      text += "id: " + to_string(EventId{events_->number(), message.number}) + "\n";
    }
    text.append("data: ").append(message.text).append("\n\n");
  }
  return text;
}

}  // namespace terminally
