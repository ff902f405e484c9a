#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "base/timeout.hpp"
#include "calls/peer_register.hpp"

namespace terminally {

struct Core;
class Exchange;

/// Tells the core's watchers of a request that is over. `result` may be null; `error`: the code in its reply,
/// 0 for none; nothing where it got no reply.
void tell_of_end(const Core& core, const PeerRegister::Entry& peer, const Exchange& exchange,
                 const nlohmann::ordered_json& result, std::optional<int> error, Clock::duration took);

}  // namespace terminally
