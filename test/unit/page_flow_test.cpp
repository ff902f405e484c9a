// What may be sent to a page, and the frames it is sent in.
#include "page/flow.hpp"

#include <doctest/doctest.h>

#include <random>

#include "page/frames.hpp"
#include "page_socket.hpp"

using namespace terminally;
using test::number_at;

TEST_CASE("page: a frame says which bytes of which channel it has") {
  FrameFlags flags;
  flags.is_current = true;
  const std::string frame = log_frame(flags, 0x1234, 0x0102030405060708, "bytes");
  REQUIRE(frame.size() == kFrameHeaderBytes + 5);
  CHECK(number_at(frame, 0, 1) == 1);
  CHECK(number_at(frame, 1, 1) == 1);
  CHECK(number_at(frame, 2, 2) == 0x1234);
  CHECK(number_at(frame, 4, 4) == 0);
  CHECK(number_at(frame, 8, 8) == 0x0102030405060708);
  CHECK(frame.substr(kFrameHeaderBytes) == "bytes");
  flags.is_last = true;
  CHECK(number_at(log_frame(flags, 0, 0, ""), 1, 1) == 3);
}

TEST_CASE("page: no more than the window is in flight") {
  Flow flow;
  std::uint64_t at = 1'000;
  while (flow.room() > 0) {
    const std::size_t bytes = flow.room();
    CHECK(bytes <= Flow::kFrame);
    flow.sent(at, bytes);
    at += bytes;
  }
  CHECK(flow.in_flight() == Flow::kWindow);
  flow.acknowledge(1'000);
  CHECK(flow.room() == 0);
  flow.acknowledge(1'001);
  CHECK(flow.room() == 1);
  flow.acknowledge(500);  // an old one
  CHECK(flow.room() == 1);
  flow.acknowledge(at);
  CHECK(flow.in_flight() == 0);
  CHECK(flow.room() == Flow::kFrame);
}

TEST_CASE("page: what is acknowledged is counted right at every position, over gaps too") {
  // Three runs: 10 bytes at 0, 5 at 20, 7 behind those.
  for (std::uint64_t to = 0; to <= 40; ++to) {
    CAPTURE(to);
    Flow flow;
    flow.sent(0, 10);
    flow.sent(20, 5);
    flow.sent(25, 7);
    flow.sent(32, 0);
    flow.acknowledge(to);
    const std::uint64_t of_first = std::min<std::uint64_t>(to, 10);
    const std::uint64_t of_rest = to <= 20 ? 0 : std::min<std::uint64_t>(to - 20, 12);
    CHECK(flow.in_flight() == 22 - of_first - of_rest);
  }
}

TEST_CASE("page: any order of sending and acknowledging keeps the count") {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    Flow flow;
    std::uint64_t at = 0;
    std::uint64_t acknowledged = 0;
    std::vector<bool> sent(4'000, false);
    for (int step = 0; step < 60; ++step) {
      if (random() % 3 != 0) {
        at += random() % 3 == 0 ? random() % 20 : 0;
        const std::size_t bytes = random() % 30;
        for (std::uint64_t i = at; i < at + bytes; ++i) {
          sent[i] = true;
        }
        flow.sent(at, bytes);
        at += bytes;
      } else {
        acknowledged = std::max<std::uint64_t>(acknowledged, random() % (at + 1));
        flow.acknowledge(acknowledged);
      }
      const auto left =
          std::count(sent.begin() + static_cast<std::ptrdiff_t>(acknowledged), sent.end(), true);
      REQUIRE(flow.in_flight() == static_cast<std::uint64_t>(left));
    }
  }
}
