#include "text/line_ends.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

using namespace terminally;

namespace {

/// As the terminal of a tab does it (ONLCR).
std::string in_terminal(std::string_view printed) {
  std::string shown;
  for (const char c : printed) {
    shown += c == '\n' ? "\r\n" : std::string(1, c);
  }
  return shown;
}

std::string in_pieces(std::string_view shown, std::size_t size) {
  LineEnds ends;
  std::string printed;
  for (std::size_t at = 0; at < shown.size(); at += size) {
    printed += ends.as_printed(shown.substr(at, size));
  }
  return printed + ends.rest();
}

}  // namespace

TEST_CASE("line ends: what was printed comes back, in whatever pieces") {
  for (const std::string_view printed :
       {"", "\n", "\r", "a\nb\n", "a\r\nb\r\n", "\r\r\n\n\r", "10%\r20%\rdone\n", "no end", "end\r"}) {
    for (std::size_t size = 1; size < 5; ++size) {
      CHECK(in_pieces(in_terminal(printed), size) == printed);
    }
  }
}

TEST_CASE("line ends: an LF that its terminal left alone stays") {
  LineEnds ends;
  CHECK(ends.as_printed("a\nb\n") == "a\nb\n");
  CHECK(ends.rest().empty());
}
