#pragma once

#include <boost/asio/awaitable.hpp>
#include <memory>

#include "config.hpp"
#include "mcp/core.hpp"
#include "stdio/stdio_transport.hpp"
#include "toolkit/redaction.hpp"

namespace terminally {

class FarHosts;
class TmuxManager;

/// Who this program is: its name on the wire, and the version it was built as.
[[nodiscard]] Implementation this_implementation();

/// Speaks the protocol over stdin and stdout until the end is asked for, the client takes no more output, or
/// stdin has ended and what was asked is answered, which has 1.5 s; what takes longer by an error. Nothing is
/// touched on disk and no tmux is started before a tool is called. Then the calls under way are dropped
/// without a reply: of an unnamed instance they are cancelled, of a durable one their commands go on. They
/// may still hold on to `manager`: shut it down, then stop the event loop, in this order. Throws `Error` when
/// stdin or stdout is closed, or stdout cannot be written to.
[[nodiscard]] boost::asio::awaitable<void> serve_stdio(TmuxManager& manager, const Config& config,
                                                       std::shared_ptr<Redaction> redaction,
                                                       Implementation info, Ending& ending,
                                                       std::shared_ptr<FarHosts> hosts = nullptr);

}  // namespace terminally
