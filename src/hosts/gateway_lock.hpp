#pragma once

#include <string>

#include "base/files.hpp"
#include "base/timeout.hpp"
#include "config.hpp"

namespace terminally {

/// On the far side: the lock of the one server that runs for gateways in this instance (config.instance),
/// held as long as it lives. One of the same gateway that is still there, because its link was cut in a way
/// that it does not know yet, gets a second to end by itself, and is ended then: when this returns it is
/// dead, and whatever it was asked and has not begun is never begun. Takes 3 s at most. Throws Error(busy)
/// where another gateway's holds it.
[[nodiscard]] FileLock take_gateway_lock(const Config& config, const std::string& gateway);

/// The link has ended without a goodbye, and the tabs are only for as long as the gateway lives: keeps them
/// for so long, for the gateway to come back for, which ends this process; then ends them.
void linger(const Config& config, const FileLock& lock, Milliseconds time);

}  // namespace terminally
