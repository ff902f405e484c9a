#pragma once

#include <optional>
#include <string_view>

namespace terminally {

/// How far a program says it has come, in a unit of its own.
struct SeenTotal {
  double done = 0;
  double total = 0;
};

/// The last "37/120" or "45%" in a text that stands alone: not part of a path, a date, a version or a larger
/// number, and not beyond its total.
[[nodiscard]] std::optional<SeenTotal> seen_total(std::string_view text);

}  // namespace terminally
