#pragma once

#include <optional>
#include <string_view>

namespace terminally {

/// How far a program says that it has come, in the program's own unit.
struct ProgressCount {
  double done = 0;
  double total = 0;
};

/// The last "37/120" or "45%" in a text. It must stand alone: not part of a path, a date, a version or a
/// larger number, and not beyond its total.
[[nodiscard]] std::optional<ProgressCount> seen_total(std::string_view text);

}  // namespace terminally
