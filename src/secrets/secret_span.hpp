#pragma once

#include <cstddef>
#include <cstdint>

namespace terminally {

/// A part of a text that must not be shown.
struct SecretSpan {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::uint16_t kind = 0;
  bool goes_on = false;        ///< with what began on the line before: nothing is shown in its place
  bool newline_after = false;  ///< it hides the end of a line, and something follows that is shown
};

}  // namespace terminally
