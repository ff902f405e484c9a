// Reads a growing log slice by slice, and waits for more at its end.
#include "log/log_follower.hpp"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <utility>

#include "base/error.hpp"

namespace terminally {
namespace {

namespace asio = boost::asio;

/// How often to check the tab, which can be closed without a change of its log.
constexpr Milliseconds kLookAtTab{500};
constexpr Milliseconds kAskAgain{200};

}  // namespace

WholeLog::WholeLog(LogWatch::Watch watch, std::function<bool()> closed)
    : watch_(std::move(watch)), closed_(std::move(closed)) {}

ReadableRange::Part WholeLog::now() {
  return {.begin = 0, .end = kNoLimit, .last = closed_()};
}

asio::awaitable<void> WholeLog::changed_by(Clock::time_point when) {
  [[maybe_unused]] const bool changed = co_await watch_.changed_by(std::min(when, Clock::now() + kLookAtTab));
}

void WholeLog::wake() {
  watch_.wake();
}

LogFollower::LogFollower(PaneLog log, std::unique_ptr<ReadableRange> reach, std::uint64_t from,
                         std::size_t slice_bytes)
    : log_(std::move(log)), reach_(std::move(reach)), position_(from), slice_bytes_(slice_bytes) {}

asio::awaitable<std::optional<PaneLog::Slice>> LogFollower::next(Milliseconds patience) {
  std::optional<Clock::time_point> unreadable_since;
  for (;;) {
    try {
      co_return co_await next_by(Clock::time_point::max());
    } catch (const Error&) {
      unreadable_since = unreadable_since.value_or(Clock::now());
      if (Clock::now() - *unreadable_since > patience) {
        throw;
      }
    }
    co_await sleep_for(kAskAgain);
  }
}

asio::awaitable<std::optional<PaneLog::Slice>> LogFollower::next_by(Clock::time_point when) {
  co_await asio::post(asio::use_awaitable);
  const More more = co_await more_by(when);
  if (more == More::never) {
    co_return std::nullopt;
  }
  PaneLog::Slice slice;
  slice.from = slice.next = position_;
  slice.eof = true;
  if (more == More::yes) {
    slice = read_up_to(part_now().end);
  }
  co_return slice;
}

asio::awaitable<LogFollower::More> LogFollower::more_by(Clock::time_point when) {
  for (;;) {
    const ReadableRange::Part part =
        part_now();  // before end(), so that the last output of a closed tab is read
    const bool missing = part.last && part.end != ReadableRange::kNoLimit && position_ < part.end;
    if (missing || position_ < std::min(part.end, log_.end())) {
      co_return More::yes;
    }
    if (part.last) {
      co_return More::never;
    }
    if (Clock::now() >= when) {
      co_return More::not_yet;
    }
    co_await reach_->changed_by(when);
  }
}

void LogFollower::skip() {
  position_ = std::max(position_, std::min(part_now().end, log_.counted_end()));
}

void LogFollower::finish() {
  finished_ = true;
  reach_->wake();
}

std::uint64_t LogFollower::unread() noexcept {
  try {
    const std::uint64_t end = std::min(part_now().end, log_.end());
    return end - std::min(end, position_);
  } catch (const std::exception&) {
    return 0;
  }
}

ReadableRange::Part LogFollower::part_now() {
  ReadableRange::Part part = reach_->now();
  position_ = std::max(position_, part.begin);
  if (finished_) {
    end_ = end_.value_or(part.end == ReadableRange::kNoLimit ? log_.end() : part.end);
    part.end = std::min(part.end, *end_);
    part.last = true;
  }
  return part;
}

/// Where the bytes after a gap are beyond `end`, all bytes up to `end` are gone.
PaneLog::Slice LogFollower::read_up_to(std::uint64_t end) {
  const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(end - position_, slice_bytes_));
  PaneLog::Slice slice = log_.read(position_, wanted);
  if (end != ReadableRange::kNoLimit && (slice.bytes.empty() || slice.from >= end)) {
    slice.bytes.clear();
    slice.from = end;
    slice.gap_bytes = end - position_;
  }
  slice.bytes.resize(static_cast<std::size_t>(std::min<std::uint64_t>(slice.bytes.size(), end - slice.from)));
  slice.next = slice.from + slice.bytes.size();
  slice.eof = slice.eof || slice.next >= end;
  position_ = std::max(position_, slice.next);
  return slice;
}

}  // namespace terminally
