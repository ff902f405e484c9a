#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace terminally {

/// What the emulator does at most in one rendering, in cells of the screen that it touches: some 160 ms.
inline constexpr std::uint64_t kMostDrawnCells = 100'000'000;

/// Where the last part of a run of screen drawing begins that the emulator can draw with `cells` left of its
/// budget; 0 for all of it. `bytes_before`: of the lines before the run, which are drawn, too. Takes from
/// `cells` what that part costs. Linear in the run, and the same on every machine: what a sequence costs is
/// estimated, rather too high, by what it does at worst.
[[nodiscard]] std::size_t affordable_from(std::string_view run, int cols, std::size_t bytes_before,
                                          std::uint64_t& cells);

}  // namespace terminally
