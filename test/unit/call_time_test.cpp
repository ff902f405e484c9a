#include "tmux/server/call_time.hpp"

#include <doctest/doctest.h>

namespace terminally {

TEST_CASE("D3: a call answers within 6 s over its time, whatever holds it up, and waits as long as it says") {
  for (const std::uint64_t limit : {0U, 1U, 300U, 1'000U, 55'000U}) {
    const auto before = Clock::now();
    const CallTime time(limit);
    const auto after = Clock::now();
    CHECK(time.last_moment() <= after + Milliseconds(limit) + Milliseconds(6'000));
    CHECK(time.returns_by() < time.last_moment());
    CHECK(time.returns_by() > time.short_patience());
    CHECK(time.patience() >= before + Milliseconds(limit));
    CHECK(time.patience() <= after + Milliseconds(limit));
  }
  const auto earlier = Clock::now() - std::chrono::seconds(3);
  CHECK(CallTime(1'000, earlier).patience() == earlier + Milliseconds(1'000));
  CHECK(CallTime(UINT64_MAX).last_moment() > Clock::now() + std::chrono::hours(24 * 365));
}

}  // namespace terminally
