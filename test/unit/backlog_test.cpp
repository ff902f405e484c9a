#include "pane/backlog.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>

using namespace terminally;

namespace {

void add(Backlog& backlog, std::size_t count, char what) {
  while (count > 0) {
    const std::size_t here = std::min(count, Backlog::kReadBytes);
    std::memset(backlog.room(), what, here);
    backlog.added(here);
    count -= here;
  }
}

}  // namespace

TEST_CASE("backlog: behind bytes that were dropped none is kept before their gap is recorded") {
  const auto backlog = std::make_unique<Backlog>();
  add(*backlog, Backlog::kCapacity, 'a');
  CHECK(backlog->size() == Backlog::kCapacity);
  CHECK(backlog->dropped() == 0);
  add(*backlog, 1, 'b');
  CHECK(backlog->dropped() == 1);
  backlog->remove(Backlog::kCapacity / 2);
  add(*backlog, 100, 'c');
  CHECK(backlog->size() == Backlog::kCapacity / 2);
  CHECK(backlog->dropped() == 101);
  CHECK(std::string(backlog->data(), backlog->size()) == std::string(backlog->size(), 'a'));
  backlog->remove(backlog->size());
  add(*backlog, 7, 'd');
  CHECK(backlog->size() == 0);
  CHECK(backlog->dropped() == 108);
  backlog->gap_recorded();
  add(*backlog, 7, 'e');
  CHECK(std::string(backlog->data(), backlog->size()) == "eeeeeee");
  CHECK(backlog->dropped() == 0);
}
