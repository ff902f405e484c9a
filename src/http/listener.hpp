#pragma once

#include <cstdint>

#include "base/descriptors.hpp"
#include "http/rules.hpp"

namespace terminally {

/// Listens there; the socket does not block, and is closed on exec. A Unix socket may be used by this user
/// only; one that nobody listens on is replaced. `place` gets the port that was chosen for port 0. Throws
/// Error: busy, naming who listens there; io.
[[nodiscard]] UniqueFd listen_on(ListenPlace& place);

/// The next connection that waits; none, with errno, where there is none. It does not block, and is closed on
/// exec.
[[nodiscard]] UniqueFd accept_from(int listener);

/// Whether this user or root is at the other end of a TCP connection within this machine, or that is not
/// known. Others of this machine can reach a loopback address, too.
[[nodiscard]] bool is_own_peer(const UniqueFd& connection);

}  // namespace terminally
