// Two queues of one path are as those of two processes: each opens the file for itself.
#include "tab/tab_queue.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/asio.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/descriptors.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "event_loop.hpp"
#include "other_process.hpp"
#include "system/proc.hpp"
#include "tab/tab_turns.hpp"
#include "temp_files.hpp"

namespace terminally {
namespace {

using test::OtherProcess;
using test::TempDir;

struct Queues {
  TempDir directory;
  std::filesystem::path path = directory / "0.queue";

  [[nodiscard]] TabQueue::Place join() const { return std::move(*TabQueue(path).join()); }
};

/// For another process, which ends where it gets no place.
TabQueue::Place place_of_another(const std::filesystem::path& queue) {
  std::optional<TabQueue::Place> place = TabQueue(queue).join();
  if (!place) {
    ::_exit(1);
  }
  return std::move(*place);
}

/// A process of ours, as far as its turns go.
struct Turns {
  explicit Turns(const boost::asio::any_io_executor& executor, const std::filesystem::path& directory)
      : watch(executor), turns(watch) {
    Tab::Home home;
    home.log = directory / "pane-@0.log";
    home.runtime = directory;
    tab = std::make_shared<Tab>(WindowId{0}, PaneId{0}, home, 1);
    tab->pane_pid = process_info(::getpid())->id();
  }

  Awaitable<TabTurns::Turn> lock(Milliseconds within) {
    const auto by = Clock::now() + within;
    AsyncMutex::Turn arrived = co_await turns.arrive(tab->window, by);
    TabTurns::Turn turn = co_await turns.lock_by(tab, std::move(arrived.guard), by);
    co_return turn;
  }

  LogWatch watch;
  TabTurns turns;
  std::shared_ptr<Tab> tab;
};

/// A turn that is kept until all have come.
Awaitable<void> note_turn(Turns& of, std::string& journal, char name, const bool& all_came) {
  const TabTurns::Turn turn = co_await of.lock(Milliseconds(10'000));
  journal += turn.guard ? name : '-';
  while (!all_came) {
    co_await sleep_for(Milliseconds(5));
  }
}

}  // namespace

TEST_CASE("tab queue: one is first at a time, in the order they joined, whoever leaves") {
  const Queues of;
  CHECK_FALSE(TabQueue::is_taken(of.path));
  CHECK_FALSE(std::filesystem::exists(of.path));
  std::vector<TabQueue::Place> places;
  places.reserve(4);
  for (int n = 0; n < 4; ++n) {
    places.push_back(of.join());
  }
  CHECK(places[0].is_first());
  CHECK_FALSE(places[1].is_first());
  places[1].leave();  // who gives up leaves no hole
  CHECK_FALSE(places[2].is_first());
  places[0].leave();
  CHECK(places[2].is_first());
  CHECK_FALSE(places[3].is_first());
  places[2] = TabQueue::Place();
  CHECK(places[3].is_first());
  CHECK(TabQueue::is_taken(of.path));
  places.clear();
  CHECK_FALSE(TabQueue::is_taken(of.path));
  CHECK(of.join().is_first());
}

TEST_CASE("tab queue: a process that is killed gives its place up") {
  const Queues of;
  const auto joins = [&of] { return place_of_another(of.path); };
  OtherProcess first(joins);
  OtherProcess second(joins);
  const TabQueue::Place place = of.join();
  second.kill();
  CHECK_FALSE(place.is_first());
  first.kill();
  CHECK(place.is_first());
}

TEST_CASE("tab queue: the places of one process cost one descriptor, and do not see each other") {
  const Queues of;
  TabQueue ours(of.path);
  TabQueue::Place first = std::move(*ours.join());
  TabQueue::Place second = std::move(*ours.join());
  CHECK(second.is_first());
  TabQueue::Place other = of.join();
  first.leave();
  CHECK_FALSE(other.is_first());
  second.leave();
  CHECK(other.is_first());
}

TEST_CASE("tab queue: a file that somebody removed is made again, and one that cannot be made is said") {
  const Queues of;
  TabQueue ours(of.path);
  const TabQueue::Place before = std::move(*ours.join());
  std::filesystem::remove(of.path);
  const TabQueue::Place after = std::move(*ours.join());
  CHECK(std::filesystem::exists(of.path));
  CHECK_FALSE(of.join().is_first());
  CHECK_THROWS_AS(static_cast<void>(TabQueue(of.directory / "none/0.queue").join()), Error);
}

TEST_CASE("tab turns: calls of two processes have their turns in the order they came") {
  const TempDir directory;
  boost::asio::io_context io(1);
  Turns one(io.get_executor(), directory.path());
  Turns other(io.get_executor(), directory.path());
  std::string journal;
  bool all_came = false;
  const auto came = [&](Turns& of, char name) {
    boost::asio::co_spawn(io, note_turn(of, journal, name, all_came), boost::asio::detached);
    io.poll();
  };
  came(one, 'a');
  came(one, 'b');
  came(other, 'c');
  came(one, 'd');
  came(other, 'e');
  CHECK(one.turns.taken(one.tab->window));
  CHECK(other.turns.taken(one.tab->window));
  all_came = true;
  io.restart();
  io.run();
  CHECK(journal == "abcde");
  CHECK_FALSE(one.turns.taken_elsewhere(*one.tab));
}

TEST_CASE("tab turns: behind another process a call waits until its time is over, and no longer") {
  const TempDir directory;
  boost::asio::io_context io(1);
  Turns one(io.get_executor(), directory.path());
  Turns other(io.get_executor(), directory.path());
  {
    const TabTurns::Guard guard = test::run(io, one.turns.try_lock(one.tab));
    CHECK(guard);
    CHECK(other.turns.taken_elsewhere(*other.tab));
    CHECK_FALSE(one.turns.taken_elsewhere(*one.tab));
    CHECK_FALSE(test::run(io, other.turns.try_lock(other.tab)));
    const auto begin = Clock::now();
    test::UnderWay<TabTurns::Turn> waits(io, other.lock(Milliseconds(50)));
    const TabTurns::Turn turn = waits.result();
    CHECK_FALSE(turn.guard);
    CHECK(turn.ahead == 0);
    CHECK(Clock::now() - begin >= Milliseconds(50));
    CHECK_FALSE(other.turns.taken(other.tab->window));
  }
  CHECK(test::run(io, other.turns.try_lock(other.tab)));
}

TEST_CASE("tab turns: the end of the tab ends the waiting, and where no queue can be had nobody waits") {
  const TempDir directory;
  boost::asio::io_context io(1);
  Turns one(io.get_executor(), directory.path());
  Turns other(io.get_executor(), directory.path());
  {
    const TabTurns::Guard guard = test::run(io, one.turns.try_lock(one.tab));
    other.tab->pane_pid = ProcessId();
    test::UnderWay<TabTurns::Turn> waits(io, other.lock(Milliseconds(60'000)));
    CHECK(waits.result().guard);
  }
  Turns nowhere(io.get_executor(), directory / "none");
  CHECK(test::run(io, nowhere.turns.try_lock(nowhere.tab)));
  test::UnderWay<TabTurns::Turn> turn(io, nowhere.lock(Milliseconds(60'000)));
  CHECK(turn.result().guard);
}

TEST_CASE(
    "tab turns: behind a process at work a call waits for longer than it takes to pass by a stopped one") {
  const TempDir directory;
  boost::asio::io_context io(1);
  Turns one(io.get_executor(), directory.path());
  Turns other(io.get_executor(), directory.path());
  const TabTurns::Guard guard = test::run(io, one.turns.try_lock(one.tab));
  test::UnderWay<TabTurns::Turn> waits(io, other.lock(Milliseconds(2'500)));
  CHECK_FALSE(waits.result().guard);
}

TEST_CASE("tab queue: who joins keeps others out for that moment, and who leaves tells those behind") {
  const Queues of;
  TabQueue ours(of.path);
  const UniqueFd joining(::open(of.path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  REQUIRE(::flock(joining.get(), LOCK_EX | LOCK_NB) == 0);
  CHECK_FALSE(ours.join());
  ::flock(joining.get(), LOCK_UN);
  auto first = ours.join();
  REQUIRE(first);
  const TabQueue::Place behind = of.join();
  const auto old = std::filesystem::last_write_time(of.path) - std::chrono::hours(1);
  std::filesystem::last_write_time(of.path, old);
  first->leave();
  CHECK(std::filesystem::last_write_time(of.path) != old);
}

}  // namespace terminally
