#include "tab/place_choice.hpp"

#include <doctest/doctest.h>

using namespace terminally;

namespace {

constexpr bool kSettled = true;
constexpr Clock::time_point kLongAgo{Milliseconds(1)};
constexpr Clock::time_point kLately{Milliseconds(2)};

}  // namespace

TEST_CASE("place: the main tab, when it is free") {
  CHECK(choose_main({.reserved = true}, !kSettled) == MainChoice::main);
  CHECK(choose_main({.reserved = true, .may_come_back = true}, kSettled) == MainChoice::main);
}

TEST_CASE("place: a shell elsewhere is waited for, no helper tab is what the caller means") {
  for (const bool called : {false, true}) {
    CHECK(choose_main({.elsewhere = true, .called = called}, kSettled) == MainChoice::main_in_turn);
  }
}

TEST_CASE("place: a shell on its way to its prompt gets a moment, a busy one none") {
  CHECK(choose_main({.may_come_back = true}, !kSettled) == MainChoice::wait);
  CHECK(choose_main({.may_come_back = true}, kSettled) == MainChoice::helper);
  CHECK(choose_main({.called = true, .may_come_back = true}, !kSettled) == MainChoice::helper);
  CHECK(choose_main({}, !kSettled) == MainChoice::helper);
}

TEST_CASE("place: a helper tab that is there already, else a new one, else the one idle for longest") {
  const std::vector<IdleHelper> idle = {{"/tmp", kLately}, {"/srv", kLongAgo}, {"/tmp", kLongAgo}};

  HelperChoice choice = choose_helper(idle, kMostHelpers, "/tmp");
  CHECK(choice.kind == HelperChoice::Kind::there);
  CHECK(choice.which == 0);

  choice = choose_helper(idle, kMostHelpers - 1, "/home");
  CHECK(choice.kind == HelperChoice::Kind::new_tab);

  choice = choose_helper(idle, kMostHelpers, "/home");
  CHECK(choice.kind == HelperChoice::Kind::go_there);
  CHECK(choice.which == 1);

  CHECK(choose_helper({}, kMostHelpers, "/home").kind == HelperChoice::Kind::none);
  CHECK(choose_helper({}, 0, "/home").kind == HelperChoice::Kind::new_tab);
}

TEST_CASE("place: helper tabs have the first name that is free") {
  CHECK(is_helper_name("main-2", "main"));
  for (const char* other : {"main", "main-", "main-2b", "main-codex", "main.2", "codex-2"}) {
    CAPTURE(other);
    CHECK_FALSE(is_helper_name(other, "main"));
  }
  CHECK(next_helper_name("main", {}) == "main-2");
  CHECK(next_helper_name("main", {"main-2", "main-4"}) == "main-3");
  CHECK(next_helper_name("codex", {"codex-3"}) == "codex-2");
}
