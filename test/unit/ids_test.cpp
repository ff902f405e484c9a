#include <doctest/doctest.h>

#include "base/ids.hpp"
#include "config_in.hpp"
#include "instance/tab_ids.hpp"
#include "temp_files.hpp"

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

TEST_CASE("ids: a number whose note was lost is known by the files of its tab") {
  const test::TempDir dir;
  const Instance instance(test::config_in(dir.path()), "ids");
  CHECK(first_unused_id(instance) == 0);
  std::filesystem::create_directories(instance.generation(2));
  test::append_to(log_path(instance.generation(2), "@6"), "");
  test::append_to(log_path(instance.generation(2), "@4.%9"), "");
  CHECK(first_unused_id(instance) == 7);
  std::filesystem::create_directories(instance.generation(3));
  CHECK(first_unused_id(instance) == 7);
  test::append_to(log_path(instance.generation(3), "@7"), "");
  CHECK(first_unused_id(instance) == 8);
  REQUIRE(note_used_id(instance.state(), WindowId{11}));  // its files are gone
  CHECK(first_unused_id(instance) == 12);
}

TEST_CASE("ids: a note that a full disk has torn spoils none behind it (V5)") {
  for (const char* torn : {"1", "\n1", "\n", "x"}) {
    CAPTURE(torn);
    const test::TempDir dir;
    const Instance instance(test::config_in(dir.path()), "ids");
    std::filesystem::create_directories(instance.state());
    test::append_to(instance.state() / "ids", torn);
    REQUIRE(note_used_id(instance.state(), WindowId{25}));
    CHECK(first_unused_id(instance) == 26);
  }
}
