#pragma once

#include <cstddef>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/awaitable.hpp"
#include "toolkit/args.hpp"

namespace terminally {

// A call for several tabs, of which the first answers: the same call is made in each of them.

/// The arguments of the call in each tab: `window_id` in place of `window_ids`. Empty where the call has no
/// `window_ids`. Throws Error(invalid_argument).
[[nodiscard]] std::vector<std::shared_ptr<const nlohmann::json>> in_each_tab(const nlohmann::json& arguments);

struct FirstAnswer {
  std::size_t of = 0;  ///< which of the calls
  nlohmann::ordered_json result;
};

/// The first result that tells of something; where the time is over in all, that of the first call, with a
/// note. The other calls are cancelled. Throws what the first call that fails throws. Cancelled, it cancels
/// all.
[[nodiscard]] Awaitable<FirstAnswer> first_answer(std::vector<Awaitable<nlohmann::ordered_json>> calls);

}  // namespace terminally
