#pragma once

#include <string>

#include "base/files.hpp"
#include "base/timeout.hpp"
#include "config.hpp"

namespace terminally {

/// On the far side: the lock of the one server that runs for gateways in the instance config.instance, held
/// as long as that server lives. An earlier server of the same gateway may still run, as it does not know yet
/// that its link was cut. It gets a second to end by itself, then SIGTERM, then SIGKILL: when this returns it
/// is dead, and no request that it had not begun is ever begun. Where somebody removed the lock's file
/// (cleaners of /tmp do), earlier servers are found among the processes, by their command lines; the one of
/// `nonce` is this one's. Takes 3 s at most. Throws Error(busy) where a server of another gateway holds the
/// lock, or the earlier server does not end.
[[nodiscard]] FileLock take_gateway_lock(const Config& config, const std::string& gateway,
                                         const std::string& nonce);

/// For temporary tabs whose link ended without a goodbye: keeps the tabs for `time`, then ends them. A
/// gateway that comes back within that time ends this process and finds its tabs.
void linger(const Config& config, const FileLock& lock, Milliseconds time);

}  // namespace terminally
