// V7: work that is longer than one call, or than one deadline.
#include "hosts/call_limits.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <nlohmann/json.hpp>

using namespace terminally;

namespace {

constexpr std::uint64_t kSyncWindow = 55'000;
constexpr CallLimits kLimits = {kSyncWindow, 10'000};

FarCall a_timed_call(const char* arguments, bool has_timeout = true) {
  FarCall call;
  call.traits.has_timeout = has_timeout;
  call.arguments = std::make_shared<const nlohmann::json>(nlohmann::json::parse(arguments));
  return call;
}

FarCall with_progress(FarCall call) {
  call.caller.progress = [](const Progress&) { return Taken::yes; };
  return call;
}

FarCall as_task(FarCall call) {
  call.caller.task.emplace();
  return call;
}

}  // namespace

TEST_CASE(
    "V7 call limits: a call has the time that it asks for, within the window where nobody hears of it") {
  CHECK(time_there(a_timed_call(R"({"timeout_ms": 1000})"), kLimits) == Milliseconds(1'000));
  CHECK(time_there(a_timed_call(R"({"timeout_ms": 120000})"), kLimits) == Milliseconds(kSyncWindow));
  CHECK(time_there(with_progress(a_timed_call(R"({"timeout_ms": 120000})")), kLimits) ==
        Milliseconds(120'000));
  CHECK(time_there(with_progress(a_timed_call(R"({"timeout_ms": 18446744073709551615})")), kLimits) ==
        Milliseconds(86'400'000));
  CHECK(time_there(a_timed_call("{}"), kLimits) == Milliseconds(10'000));
  CHECK(time_there(a_timed_call("{}"), CallLimits{2'000, 10'000}) == Milliseconds(2'000));
  CHECK(time_there(a_timed_call("{}"), CallLimits{kSyncWindow, 30'000}) == Milliseconds(30'000));
  CHECK(time_there(a_timed_call("{}"), CallLimits{kSyncWindow, 1'000}) ==
        Milliseconds(10'000));  // wait_for's
  CHECK(time_there(a_timed_call(R"({"timeout_ms": "x"})"), kLimits) == Milliseconds(10'000));
  CHECK(time_there(a_timed_call("{}", false), kLimits) ==
        Milliseconds(kSyncWindow));  // a search of a large log
}

TEST_CASE("V7 call limits: an answer is waited for a little longer, and a task's as long as it takes") {
  CHECK(answered_within(a_timed_call("{}"), kLimits) == Milliseconds(10'000) + kBeyond);
  CHECK(answered_within(as_task(a_timed_call("{}")), kLimits) == std::nullopt);
  CHECK(waits_for_link(a_timed_call(R"({"timeout_ms": 1000})"), kLimits) == Milliseconds(6'000));
  CHECK(waits_for_link(as_task(a_timed_call(R"({"timeout_ms": 1000})")), kLimits) == std::chrono::hours(24));
}
