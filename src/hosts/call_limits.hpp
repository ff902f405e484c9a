#pragma once

#include <cstdint>
#include <optional>

#include "base/timeout.hpp"
#include "toolkit/far_hosts.hpp"

namespace terminally {

/// How long a call to a host may take.
struct CallLimits {
  std::uint64_t window_ms = 55'000;   ///< where its client hears nothing meanwhile
  std::uint64_t default_ms = 10'000;  ///< where its client gives no time
};

/// How long the call may take there. One whose end nobody else bounds has the time of its tool.
[[nodiscard]] Milliseconds time_there(const FarCall& call, CallLimits limits);

/// What a call has beyond that: the way, and what has to be ended by force.
inline constexpr Milliseconds kBeyond{10'000};

/// How long its answer is waited for on a link that is there. None: a task's end is not known.
[[nodiscard]] std::optional<Milliseconds> answered_within(const FarCall& call, CallLimits limits);

/// How long a call whose link is lost waits for it: as long as it would have waited for its command.
[[nodiscard]] Milliseconds waits_for_link(const FarCall& call, CallLimits limits);

}  // namespace terminally
