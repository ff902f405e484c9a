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

/// Tells of a change. Returns false when it could not; it is called again then.
using Tell = std::function<bool()>;

/// Whether the resource exists. A closed tab counts, and any tab of a known host. Without a `manager` there
/// are no tabs, without `hosts` no hosts: both may be null.
[[nodiscard]] boost::asio::awaitable<bool> resource_exists(TmuxManager* manager,
                                                           std::shared_ptr<FarHosts> hosts, ResourceUri uri);

// Each watch calls `tell` on the executor until the Background goes out of scope, and costs nothing while
// nothing happens. `manager` outlives the event loop.

/// Tells each time that the tab has printed something, which changes its log and its screen. At most twice a
/// second; the last change is always told. Ends by itself when the tab is closed.
[[nodiscard]] Background watch_output(const boost::asio::any_io_executor& executor, TmuxManager& manager,
                                      WindowId window, Tell tell);

/// The same for a tab of a host, where one call waits for output. Goes on after the link was lost.
[[nodiscard]] Background watch_output_there(const boost::asio::any_io_executor& executor,
                                            std::shared_ptr<FarHosts> hosts, ResourceUri uri, Tell tell);

/// Tells each time that the tabs differ from `known`, and then from the list told last. With come_and_gone
/// only the set of tabs counts, and a change is told within half a second; with `any`, at most twice a
/// second.
[[nodiscard]] Background watch_tabs(const boost::asio::any_io_executor& executor, TmuxManager& manager,
                                    TabNews news, TabList known, Tell tell);

}  // namespace terminally
