// How long an editor may still be drawing what was typed.
#include "tab/sent_inputs.hpp"

#include <doctest/doctest.h>

#include <string>

#include "temp_files.hpp"

using namespace terminally;
using test::append_to;

TEST_CASE("sent inputs: typed ahead, a line is an echo also where it is shown late (S2)") {
  const test::TempDir directory;
  const PaneLog log(directory / "log");
  append_to(log.path(), "sleep 6\r\n");
  SentInputs sent;
  const auto typed = Clock::now();
  sent.add(log, TypedInput::EchoedBy::terminal, log.end(), "sleep 1; echo READY\n", false);
  append_to(log.path(), "sleep 1; echo READY\r\n\033[?2004h$ sleep 1; echo REA");

  using std::chrono::seconds;
  const auto is_open = [&](seconds after, seconds quiet, seconds held) {
    const auto now = typed + after + seconds(1);
    const auto echo = sent.echo_at(log, log.end(), {now, now - quiet, now - held});
    return echo && echo->open;
  };
  CHECK(is_open(seconds(0), seconds(0), seconds(0)));
  CHECK(is_open(seconds(6), seconds(0), seconds(0)));
  // nothing more comes, or more and more by what is not left by Enter
  CHECK_FALSE(is_open(seconds(1), seconds(1), seconds(1)));
  CHECK_FALSE(is_open(seconds(6), seconds(0), seconds(1)));
  CHECK(is_open(seconds(2), seconds(0), seconds(1)));
}
