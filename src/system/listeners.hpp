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
  bool anybody = false;             ///< somebody listens
  std::optional<std::string> ours;  ///< "pid name" of the oldest process of the tab that does
};

/// Who listens on a TCP port of this machine: a process that was started in the tab, by the
/// cookie in its environment, or a descendant of the pane's process? Well below a millisecond where nobody
/// does.
[[nodiscard]] PortLook look_at_port(ProcessId pane, const std::string& cookie, std::uint16_t port);

/// "pid name" of whoever listens, as far as we may see it; for a note. Looks at every process.
[[nodiscard]] std::string listener_anywhere(std::uint16_t port);

}  // namespace terminally
