#pragma once

#include <cstddef>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "base/awaitable.hpp"

namespace terminally {

// A call for several tabs, of which the first answers: the same call is made in each of them.

inline constexpr std::size_t kMostTabsAtOnce = 32;

/// The arguments of the call in each tab: `window_id` in place of `window_ids`. Empty where the call has no
/// `window_ids`. Throws Error(invalid_argument).
[[nodiscard]] std::vector<std::shared_ptr<const nlohmann::json>> in_each_tab(const nlohmann::json& arguments);

/// The first result that tells of something, with the tab that it came of, as the caller named it; where the
/// time is over in all, that of the first tab. The other calls are cancelled. Throws what the first call that
/// fails throws. Cancelled, it cancels all.
[[nodiscard]] Awaitable<nlohmann::ordered_json> first_answer(
    std::vector<std::string> tabs, std::vector<Awaitable<nlohmann::ordered_json>> calls);

}  // namespace terminally
