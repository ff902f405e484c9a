#pragma once

#include <functional>

#include "base/awaitable.hpp"
#include "base/descriptors.hpp"

namespace terminally {

/// Gives each connection that comes to `take`, which does not throw, until it is cancelled. While there is no
/// descriptor left, connections wait.
[[nodiscard]] Awaitable<void> accept_all(UniqueFd listener, std::function<void(UniqueFd)> take);

}  // namespace terminally
