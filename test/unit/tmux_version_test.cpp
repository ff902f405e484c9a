// Which tmux is new enough.
#include <doctest/doctest.h>

#include "tmux/wire/spawned_client.hpp"

using namespace terminally;

TEST_CASE("tmux version: 3.2 and later are new enough, by both numbers (V9)") {
  for (const char* version : {"tmux 3.2", "tmux 3.2a", "tmux 3.10", "tmux 4.0", "tmux 4", "tmux 10.1",
                              "tmux next-3.5", "tmux openbsd-7.4"}) {
    CHECK_MESSAGE(is_new_enough(version), version);
  }
  for (const char* version : {"tmux 3.1c", "tmux 3.0", "tmux 3", "tmux 2.9", "tmux 1.8", "tmux 0.9", ""}) {
    CHECK_MESSAGE(!is_new_enough(version), version);
  }
}
