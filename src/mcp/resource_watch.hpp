#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <functional>
#include <memory>

#include "base/background.hpp"
#include "mcp/resource_uri.hpp"
#include "tmux/manager.hpp"
#include "toolkit/far_hosts.hpp"

namespace terminally {

/// Tells of a change. False when it could not: it is asked again.
using Tell = std::function<bool()>;

/// Whether there is something to read; what a closed tab has printed counts, and of a host any tab. `manager`
/// may be null: then there are no tabs. So may `hosts`.
[[nodiscard]] boost::asio::awaitable<bool> resource_exists(TmuxManager* manager,
                                                           std::shared_ptr<FarHosts> hosts, ResourceUri uri);

// Both call `tell` on the executor until the result goes out of scope, and cost nothing while nothing
// happens. `manager` outlives the event loop.

/// Each time that the tab has printed something: its log and its screen are others then. At most twice a
/// second; the last change is always told. Ends by itself when the tab is closed.
[[nodiscard]] Background watch_output(const boost::asio::any_io_executor& executor, TmuxManager& manager,
                                      WindowId window, Tell tell);

/// The same of a tab of a host: one call waits there for what comes. It goes on through cuts of the link.
[[nodiscard]] Background watch_output_there(const boost::asio::any_io_executor& executor,
                                            std::shared_ptr<FarHosts> hosts, ResourceUri uri, Tell tell);

/// Each time that the tabs are others than `known`, and then others than those. Which ones there are: within
/// half a second; anything of them: at most twice a second.
[[nodiscard]] Background watch_tabs(const boost::asio::any_io_executor& executor, TmuxManager& manager,
                                    TabNews news, TabList known, Tell tell);

}  // namespace terminally
