#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <functional>
#include <memory>

#include "config.hpp"
#include "mcp/core.hpp"
#include "toolkit/peer_settings.hpp"

namespace terminally {

class Hosts;
class TmuxManager;

/// This program's name on the wire, and the version of this build.
[[nodiscard]] Implementation this_implementation();

/// With the project that this process was started in, if its file system answers.
[[nodiscard]] Config in_project(Config config);

/// The hosts that a person has allowed; null where there are none, and behind a gateway, as calls take one
/// hop only. A server owns its instance before it uses a host: the tabs there are named after the instance,
/// so people find them by that name, and no second server of that name takes them over. Throws `Error` for a
/// file that cannot be read. `manager` outlives the hosts.
[[nodiscard]] std::shared_ptr<Hosts> make_hosts(const boost::asio::any_io_executor& executor,
                                                TmuxManager& manager, const Config& config);

/// What all peers of this process share. `hosts` may be null. `manager` outlives the event loop.
[[nodiscard]] std::shared_ptr<const Core> make_core(const boost::asio::any_io_executor& executor,
                                                    TmuxManager& manager, const Config& config,
                                                    std::shared_ptr<Hosts> hosts);

/// What the client of this process may do and sees, as the command line says. `on_goodbye` is called when a
/// gateway says that it will not come back. Throws `Error` where the values to mask cannot be read.
[[nodiscard]] std::shared_ptr<const PeerSettings> settings_of(const Config& config,
                                                              std::function<void()> on_goodbye);

}  // namespace terminally
