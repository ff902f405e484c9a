#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/ids.hpp"
#include "toolkit/far_hosts.hpp"

namespace terminally {

/// Returns when a tab of a host has printed more than `so_far` (none: than it has now), and how much that is,
/// if it can be asked: one call waits there for it. What cannot be asked just now, because there is no link
/// or no such tab, or was answered with nothing, is asked again after a pause.
[[nodiscard]] boost::asio::awaitable<std::optional<std::uint64_t>> next_output_there(
    std::shared_ptr<FarHosts> hosts, std::string host, WindowId window, std::optional<std::uint64_t> so_far);

}  // namespace terminally
