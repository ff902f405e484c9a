// Whether what a tab shows is its shell on the way to its prompt, by the times of what happened.
#include <doctest/doctest.h>

#include <optional>

#include "tab/shell_state.hpp"

using namespace terminally;

namespace {

using Ms = Milliseconds;

/// So many milliseconds before now; none: it never happened.
struct Past {
  std::optional<int> opened = std::nullopt;
  std::optional<int> last_end = std::nullopt;
  std::optional<int> last_input = std::nullopt;
};

constexpr Clock::time_point kNow = Clock::time_point() + std::chrono::hours(100);

ShellState shell(const Past& past) {
  ShellState state;
  if (past.opened) {
    state.has_opened(kNow - Ms(*past.opened));
  }
  if (past.last_end) {
    state.has_ended_command(kNow - Ms(*past.last_end));
  }
  if (past.last_input) {
    state.was_sent_input(kNow - Ms(*past.last_input));
  }
  return state;
}

}  // namespace

TEST_CASE("shell state: start-up files have two seconds, until something is typed") {
  CHECK(shell({.opened = 0}).is_starting_up(kNow));
  CHECK(shell({.opened = 1'999}).is_starting_up(kNow));
  CHECK_FALSE(shell({.opened = 2'000}).is_starting_up(kNow));
  CHECK_FALSE(shell({.opened = 500, .last_input = 499}).is_starting_up(kNow));
  CHECK_FALSE(shell({}).is_starting_up(kNow));  // another process has opened it
}

TEST_CASE("shell state: the prompt comes within two seconds of what ended last, unless something is typed") {
  CHECK(shell({.opened = 1'999}).is_on_its_way(kNow));
  CHECK_FALSE(shell({.opened = 2'000}).is_on_its_way(kNow));
  CHECK(shell({.opened = 60'000, .last_end = 1'999}).is_on_its_way(kNow));
  CHECK_FALSE(shell({.opened = 60'000, .last_end = 2'000}).is_on_its_way(kNow));
  CHECK(shell({.opened = 60'000, .last_end = 100, .last_input = 200}).is_on_its_way(kNow));
  CHECK_FALSE(shell({.opened = 60'000, .last_end = 200, .last_input = 100}).is_on_its_way(kNow));
}

TEST_CASE("shell state: a step of the prompt began within two seconds, and lasts no longer than five") {
  CHECK(shell({.last_end = 1'000}).is_step(Ms(900), kNow));
  CHECK(shell({.last_end = 4'900}).is_step(Ms(2'900), kNow));
  CHECK_FALSE(shell({.last_end = 4'900}).is_step(Ms(2'800), kNow));  // it began 2.1 s behind
  CHECK_FALSE(shell({.last_end = 5'001}).is_step(Ms(5'000), kNow));
  CHECK_FALSE(shell({.last_end = 1'000, .last_input = 999}).is_step(Ms(900), kNow));
  CHECK(shell({.opened = 1'000}).is_step(Ms(900), kNow));  // of the start-up files
  CHECK_FALSE(shell({.opened = 100, .last_end = 6'000}).is_step(Ms(50), kNow));
}

TEST_CASE("shell state: what is no step is told from one by how long it is there, and when it began") {
  // Start-up files may take five seconds.
  CHECK_FALSE(shell({.opened = 5'000}).is_users_program(Ms(4'000), Ms(2'000), kNow));
  CHECK(shell({.opened = 5'001}).is_users_program(Ms(4'000), Ms(1'001), kNow));
  CHECK_FALSE(shell({.opened = 5'001}).is_users_program(Ms(4'000), Ms(1'000), kNow));
  // Behind our last command: what began late has a second, what began in time has five.
  CHECK_FALSE(shell({.last_end = 3'500}).is_users_program(Ms(1'000), Ms(0), kNow));
  CHECK(shell({.last_end = 3'500}).is_users_program(Ms(1'001), Ms(0), kNow));
  CHECK_FALSE(shell({.last_end = 5'000}).is_users_program(Ms(4'000), Ms(3'000), kNow));
  CHECK(shell({.last_end = 5'001}).is_users_program(Ms(4'000), Ms(1'001), kNow));
  // Typed at a prompt: a second, lived or waited for.
  CHECK(shell({.last_end = 500, .last_input = 400}).is_users_program(Ms(0), Ms(1'001), kNow));
  CHECK(shell({.last_end = 500, .last_input = 400}).is_users_program(Ms(1'001), Ms(0), kNow));
  CHECK_FALSE(shell({.last_end = 500, .last_input = 400}).is_users_program(Ms(1'000), Ms(1'000), kNow));
}

TEST_CASE(
    "shell state: a shell that runs something of its own is given up after a second, on its way back never") {
  CHECK_FALSE(shell({.opened = 60'000}).runs_foreign_work(Ms(50'000), kNow));  // its start-up files
  CHECK_FALSE(shell({.last_end = 5'000}).runs_foreign_work(Ms(4'000), kNow));
  CHECK(shell({.last_end = 5'001}).runs_foreign_work(Ms(1'001), kNow));
  CHECK_FALSE(shell({.last_end = 5'001}).runs_foreign_work(Ms(1'000), kNow));
  CHECK(shell({.last_end = 500, .last_input = 400}).runs_foreign_work(Ms(1'001), kNow));
}
