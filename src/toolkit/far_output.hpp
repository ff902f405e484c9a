#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/ids.hpp"
#include "toolkit/far_hosts.hpp"

namespace terminally {

/// Returns when a tab of a host has printed more than `so_far` bytes (nullopt: than it has printed now). The
/// result is its new count, if the host can be asked. One call waits for the output there. It is repeated
/// after a pause where there is no link or no such tab, or the answer is empty.
[[nodiscard]] boost::asio::awaitable<std::optional<std::uint64_t>> next_output_there(
    std::shared_ptr<FarHosts> hosts, std::string host, WindowId window, std::optional<std::uint64_t> so_far);

}  // namespace terminally
