#pragma once

#include <cstdint>
#include <string_view>

namespace terminally {

/// What cksum(1) of POSIX prints first.
[[nodiscard]] std::uint32_t posix_checksum(std::string_view bytes);

}  // namespace terminally
