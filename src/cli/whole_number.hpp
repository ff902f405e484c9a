#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <limits>

namespace terminally {

/// Refuses all but a whole number from `least` to `most` in decimal digits. CLI11 by itself takes "-1" for
/// the largest number there is, "0x10" for 16 and "" for 0.
[[nodiscard]] CLI::Validator whole_number(std::uint64_t least = 0,
                                          std::uint64_t most = std::numeric_limits<std::uint64_t>::max());

/// Refuses all but a number from `least` to `most`.
[[nodiscard]] CLI::Validator number(double least, double most);

/// Turns "64MiB", "2G" and the like into a number of bytes; refuses all but one from `least` to `most`.
[[nodiscard]] CLI::Validator number_of_bytes(std::uint64_t least, std::uint64_t most);

}  // namespace terminally
