#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "system/proc.hpp"

namespace terminally {

/// The inodes of the sockets that listen on a TCP port, from the text of /proc/net/tcp or tcp6. Pure.
[[nodiscard]] std::vector<std::uint64_t> listening_sockets(std::string_view table, std::uint16_t port);

struct PortLook {
  bool anybody = false;             ///< some process listens
  std::optional<std::string> ours;  ///< "pid name" of the tab's oldest process that listens
};

/// Whether a process of the tab listens on a TCP port of this machine: one with the tab's cookie in its
/// environment, or a descendant of the pane's process. Costs well below a millisecond where nothing listens.
[[nodiscard]] PortLook look_at_port(ProcessId pane, const std::string& cookie, std::uint16_t port);

/// "pid name" of the listener, as far as we may see it; for a note. Reads every process.
[[nodiscard]] std::string listener_anywhere(std::uint16_t port);

}  // namespace terminally
