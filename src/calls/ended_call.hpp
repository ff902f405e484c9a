#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "base/timeout.hpp"
#include "toolkit/peer_settings.hpp"

namespace terminally {

enum class CallOutcome : std::uint8_t {
  ok,
  tool_error,
  protocol_error,
  cancelled,  ///< by the client, or nobody was there for an answer, or none came before the server's end
};

/// "ok", "tool_error" …
[[nodiscard]] std::string_view to_string(CallOutcome outcome);

/// One request that is over. Valid while a watcher is told of it.
struct EndedCall {
  const PeerSettings& by;        ///< its identity names the transport and the role
  std::string_view client;       ///< name and version, as the client says; may be empty
  std::string_view method;       ///< empty: none of ours
  std::string_view tool;         ///< of tools/call; empty: none of ours
  const nlohmann::json& params;  ///< as they came: not masked
  CallOutcome outcome = CallOutcome::ok;
  std::string error;  ///< the code of a tool's error where it is known, or that of JSON-RPC; else empty
  Clock::duration took{0};
};

}  // namespace terminally
