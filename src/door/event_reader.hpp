#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/awaitable.hpp"
#include "door/event_stream.hpp"

namespace terminally {

/// How a stream is written as Server-Sent Events.
struct EventForm {
  bool ids = false;  ///< legacy: the client may come back for what is behind an id
  bool primes =
      false;  ///< 2025-11-25: an id comes first, with nothing, so that the client may always come back
};

/// One connection's turn at a stream. It is held by whatever the connection waits for, so it goes when the
/// client is gone.
class EventReader {
 public:
  static constexpr Milliseconds kQuietFor{15'000};

  /// `on_end` is called when the reader goes. It must not throw.
  EventReader(std::shared_ptr<EventStream> events, EventForm form, std::function<void()> on_end,
              Milliseconds quiet_for = kQuietFor);
  ~EventReader();
  EventReader(const EventReader&) = delete;
  EventReader& operator=(const EventReader&) = delete;

  /// The next events as text, or a comment where none came for `quiet_for`; empty at the end of the stream,
  /// or when another reader has taken it over.
  [[nodiscard]] Awaitable<std::string> read();
  [[nodiscard]] Awaitable<bool> wait_for_news(Clock::time_point until);
  [[nodiscard]] EventStream& events() { return *events_; }

 private:
  [[nodiscard]] std::string waiting_events();

  std::shared_ptr<EventStream> events_;
  EventForm form_;
  std::function<void()> on_end_;
  Milliseconds quiet_for_;
  std::uint64_t turn_;
  bool begun_ = false;
};

}  // namespace terminally
