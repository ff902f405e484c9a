#include "page/log_channel.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "log/log_end.hpp"
#include "page/frames.hpp"
#include "page/starred.hpp"
#include "page/wire.hpp"

namespace terminally {
namespace {

/// Output that comes in drops is sent so often at most.
constexpr Milliseconds kFrameTime{16};
/// A tab can be closed without a change of its log.
constexpr Milliseconds kLookAtTab{500};
constexpr Milliseconds kAskAgain{200};
/// How long what may become a secret is held back (tmux/output_calls.cpp has the same for agents).
constexpr Milliseconds kHoldsSecret{100};

}  // namespace

std::uint64_t begin_of_newest(const PaneLog& log, std::uint64_t end, std::uint64_t bytes) {
  const std::uint64_t from = end - std::min(end, bytes);
  if (from == 0) {
    return 0;
  }
  const PaneLog::Slice slice = log.read(from, static_cast<std::size_t>(end - from));
  const std::size_t newline = slice.bytes.find('\n');
  return slice.from + (newline == std::string::npos ? 0 : newline + 1);
}

std::string gap_text(std::uint16_t channel, std::uint64_t from, std::optional<std::uint64_t> to,
                     const std::string& why, const std::string& detail) {
  nlohmann::json gap;
  gap["t"] = "gap";
  gap["ch"] = channel;
  gap["from"] = from;
  gap["to"] = or_null(to);
  gap["why"] = why;
  gap["detail"] = detail;
  return wire_text(gap);
}

Awaitable<void> LogChannel::run(std::shared_ptr<LogChannel> self) {
  std::optional<Clock::time_point> unreadable_since;
  for (bool goes_on = true; goes_on;) {
    bool failed = false;
    try {
      goes_on = co_await self->step();
      unreadable_since.reset();
    } catch (const Error&) {
      unreadable_since = unreadable_since.value_or(Clock::now());
      if (Clock::now() - *unreadable_since > kLogComesBack) {
        throw;
      }
      failed = true;
    }
    if (failed) {
      co_await sleep_for(kAskAgain);
    }
  }
}

void LogChannel::acknowledge(std::uint64_t to) {
  flow_.acknowledge(to);
  acknowledged_.notify();
}

/// False: nothing more is to come.
Awaitable<bool> LogChannel::step() {
  const bool closed = parts_.is_closed();  // before the look
  const std::uint64_t end = parts_.log.end();
  if (position_ >= end) {
    if (!told_current_ || closed) {
      const bool sent = co_await send_frame(true, closed, "");
      co_return sent && !closed;
    }
    co_await wait_for_log();
  } else if (end - position_ > Flow::kFarBehind) {
    co_return co_await skip(end);
  } else if (flow_.room() == 0) {
    [[maybe_unused]] const bool woken = co_await acknowledged_.wait_by(Clock::now() + kLookAtTab);
  } else if (Clock::now() < next_frame_ && end - position_ < Flow::kFrame) {
    co_await sleep_until(next_frame_);
  } else {
    co_return co_await send_part(closed);
  }
  co_return true;
}

Awaitable<void> LogChannel::wait_for_log() {
  [[maybe_unused]] const bool changed = co_await parts_.watch.changed_by(Clock::now() + kLookAtTab);
}

Awaitable<bool> LogChannel::skip(std::uint64_t end) {
  std::optional<ScreenAt> screen;
  if (parts_.screen) {
    screen = co_await parts_.screen();
  }
  const std::uint64_t to = screen ? screen->at : begin_of_newest(parts_.log, end, Flow::kAfterSkip);
  std::string gap = gap_text(parts_.number, position_, to, "skipped", "");
  position_ = to;
  bool sent = co_await parts_.socket.send_text(std::move(gap));
  if (sent && screen) {
    screen->message["ch"] = parts_.number;
    std::string text = wire_text(screen->message);
    sent = co_await parts_.socket.send_text(std::move(text));
  }
  co_return sent;
}

/// Whether nothing is sent for now, because all of it may become a secret.
bool LogChannel::holds_back(std::size_t settled, std::size_t bytes) {
  if (settled > 0 || bytes == 0) {
    held_since_.reset();
    return false;
  }
  held_since_ = held_since_.value_or(Clock::now());
  return Clock::now() - *held_since_ < kHoldsSecret;
}

/// Once, however often the bytes behind them are looked at.
Awaitable<bool> LogChannel::tell_gaps(const PaneLog::Slice& slice) {
  if (gap_told_ == slice.from) {
    co_return true;
  }
  for (const WireGap& gap : gaps_before(parts_.log, position_, slice)) {
    gap_told_ = slice.from;
    std::optional<std::uint64_t> to;
    if (gap.bytes) {
      to = gap.from + *gap.bytes;
    }
    std::string text = gap_text(parts_.number, gap.from, to, gap.why, gap.detail);
    const bool sent = co_await parts_.socket.send_text(std::move(text));
    if (!sent) {
      co_return false;
    }
  }
  co_return true;
}

Awaitable<bool> LogChannel::send_part(bool closed) {
  PaneLog::Slice slice = parts_.log.read(position_, flow_.room());
  const bool told = co_await tell_gaps(slice);
  if (!told) {
    co_return false;
  }
  position_ = std::max(position_, slice.from);
  bool all = true;
  if (parts_.hidden && !slice.bytes.empty()) {
    StarredPart part = starred(*parts_.hidden, parts_.log, slice, !closed);
    if (holds_back(part.settled, part.bytes.size())) {
      co_await sleep_for(kHoldsSecret / 5);
      co_return true;
    }
    all = part.settled == 0 || part.settled == part.bytes.size();
    part.bytes.resize(all ? part.bytes.size() : part.settled);
    slice.bytes = std::move(part.bytes);
  }
  if (slice.bytes.empty()) {  // it is counted, and not in the log yet
    position_ = std::max(position_, slice.next);
    co_await wait_for_log();
    co_return true;
  }
  co_return co_await send_frame(slice.eof && all, false, std::move(slice.bytes));
}

Awaitable<bool> LogChannel::send_frame(bool is_current, bool closed, std::string bytes) {
  FrameFlags flags;
  flags.is_current = is_current;
  flags.is_last = closed;
  std::string frame = log_frame(flags, parts_.number, position_, bytes);
  flow_.sent(position_, bytes.size());
  position_ += bytes.size();
  told_current_ = is_current;
  next_frame_ = Clock::now() + kFrameTime;
  co_return co_await parts_.socket.send_binary(std::move(frame));
}

}  // namespace terminally
