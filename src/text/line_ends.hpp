#pragma once

#include <string>
#include <string_view>

namespace terminally {

/// Restores what a program printed from what its terminal made of the output, where each LF became CR LF. For
/// output in pieces.
class LineEnds {
 public:
  /// The restored piece. A CR at its end is held until the next piece shows whether an LF follows.
  [[nodiscard]] std::string as_printed(std::string_view piece);
  /// The held CR, if any: for the end of the output.
  [[nodiscard]] std::string rest();

 private:
  bool has_return_ = false;
};

}  // namespace terminally
