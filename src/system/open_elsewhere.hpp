#pragma once

namespace terminally {

/// Whether a file that is open for writing here is open anywhere else, in this process or another, in a shell
/// that reads on in its script or behind a descriptor that somebody inherited. True where that cannot be
/// known.
[[nodiscard]] bool is_open_elsewhere(int fd);

}  // namespace terminally
