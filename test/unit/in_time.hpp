#pragma once

#include <doctest/doctest.h>

namespace terminally::test {

/// For what is promised by a time: an attempt that comes too late for that, as the machine stood still, says
/// false, has checked nothing, and is made once more.
template <typename Attempt>
void check_in_time(const Attempt& attempt) {
  bool in_time = false;
  for (int times = 0; times < 5 && !in_time; ++times) {
    in_time = attempt();
  }
  CHECK(in_time);
}

}  // namespace terminally::test
