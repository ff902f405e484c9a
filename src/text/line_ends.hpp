#pragma once

#include <string>
#include <string_view>

namespace terminally {

/// What a program printed, from what its terminal made of it: there each LF became CR LF. For output in
/// pieces.
class LineEnds {
 public:
  /// Of a piece; a CR at its end is kept until the next one tells what it is.
  [[nodiscard]] std::string as_printed(std::string_view piece);
  /// What is kept, at the end of the output.
  [[nodiscard]] std::string rest();

 private:
  bool has_return_ = false;
};

}  // namespace terminally
