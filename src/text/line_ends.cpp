// Removes the CR that a terminal puts before each LF of a program's output.
#include "text/line_ends.hpp"

#include <utility>

namespace terminally {

std::string LineEnds::as_printed(std::string_view piece) {
  std::string printed;
  printed.reserve(piece.size() + 1);
  for (const char c : piece) {
    if (std::exchange(has_return_, c == '\r') && c != '\n') {
      printed += '\r';
    }
    if (c != '\r') {
      printed += c;
    }
  }
  return printed;
}

std::string LineEnds::rest() {
  return std::exchange(has_return_, false) ? "\r" : "";
}

}  // namespace terminally
