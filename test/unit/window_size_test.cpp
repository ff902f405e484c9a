#include "tab/window_size.hpp"

#include <doctest/doctest.h>

using namespace terminally;

TEST_CASE("window size: columns and rows with an x between, within what a tab can have") {
  CHECK(parse_window_size("200x50") == WindowSize{200, 50});
  CHECK(parse_window_size("20x5") == kLeastSize);
  CHECK(parse_window_size("1000x500") == kMostSize);
  for (const char* wrong : {"", "x", "200", "200x", "x50", "19x5", "20x4", "1001x50", "200x501", "200x50x",
                            "200 x50", "-200x50", "200X50", "4294967296x50"}) {
    CAPTURE(wrong);
    CHECK_FALSE(parse_window_size(wrong));
  }
}
