#include <doctest/doctest.h>

#include "tmux/ids.hpp"

using namespace terminally;

TEST_CASE("T1: a window id is @ and decimal digits, nothing else") {
  CHECK(parse_window_id("@0") == WindowId{0});
  CHECK(parse_window_id("@4294967295") == WindowId{4294967295U});
  for (const char* wrong : {"", "@", "3", "@-1", "@ 1", "@1 ", "@4294967296", "%1", "@1x", "@@1"}) {
    CAPTURE(wrong);
    CHECK_FALSE(parse_window_id(wrong));
  }
  CHECK(to_string(WindowId{7}) == "@7");
}
