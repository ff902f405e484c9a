// Says how long a call to a host may take, and how long a link that it lost is waited for.
#include "hosts/call_limits.hpp"

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

namespace terminally {
namespace {

constexpr std::uint64_t kLeastDefaultMs = 10'000;  // of every tool that waits but execute_command
constexpr std::uint64_t kLongestTimeoutMs = 86'400'000;
constexpr Milliseconds kOfTheWay{5'000};

}  // namespace

Milliseconds time_there(const FarCall& call, CallLimits limits) {
  const auto given = call.arguments->find("timeout_ms");
  const bool is_number = given != call.arguments->end() && given->is_number_unsigned();
  const std::uint64_t default_ms = std::max(limits.default_ms, kLeastDefaultMs);
  const std::uint64_t own = is_number ? std::min(given->get<std::uint64_t>(), kLongestTimeoutMs)
                                      : (call.traits.has_timeout ? default_ms : limits.window_ms);
  return Milliseconds(call.caller.progress ? own : std::min(own, limits.window_ms));
}

std::optional<Milliseconds> answered_within(const FarCall& call, CallLimits limits) {
  return call.caller.task ? std::nullopt : std::optional(time_there(call, limits) + kBeyond);
}

Milliseconds waits_for_link(const FarCall& call, CallLimits limits) {
  return call.caller.task ? std::chrono::hours(24) : time_there(call, limits) + kOfTheWay;
}

}  // namespace terminally
