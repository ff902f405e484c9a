// Work that outlives its call: what becomes of it, of its exception, and of who waits.
#include "base/spawned.hpp"

#include <doctest/doctest.h>

#include <boost/asio.hpp>
#include <memory>
#include <stdexcept>
#include <string>

#include "base/background.hpp"
#include "base/event.hpp"
#include "event_loop.hpp"

using namespace terminally;
namespace asio = boost::asio;
using namespace std::chrono_literals;

namespace {

/// Work that ends when it is told to, and notes how.
struct SpawnScene {
  static Awaitable<std::string> work(std::shared_ptr<Event> ends, std::shared_ptr<std::string> came_to) {
    *came_to = "cancelled";
    co_await ends->wait();
    *came_to = "ended";
    co_return "made";
  }
  Awaitable<std::string> work() { return work(ends, came_to); }

  asio::io_context io{1};
  std::shared_ptr<Event> ends = std::make_shared<Event>();
  std::shared_ptr<std::string> came_to = std::make_shared<std::string>("not begun");
};

Awaitable<void> only(Awaitable<std::string> work) {
  co_await std::move(work);
}

Awaitable<std::string> fail() {
  throw std::runtime_error("a fault");
  co_return "";
}

/// Cancels a wait.
template <typename T>
void cut_short(asio::io_context& io, Awaitable<T> wait) {
  test::UnderWay<T> waiting(io, std::move(wait));
  io.poll();
  waiting.cancel();
  CHECK_THROWS_AS(waiting.result(), boost::system::system_error);
  io.poll();
}

}  // namespace

TEST_CASE("spawned: work goes on when nobody has it any more, and is cancelled with its Background") {
  SpawnScene kept;
  SpawnScene stopped;
  {
    const Spawned<std::string> spawned(kept.io.get_executor(), kept.work());
    const Spawned<std::string> fails(kept.io.get_executor(), fail());
    const Background background(stopped.io.get_executor(), only(stopped.work()));
    kept.io.poll();
    stopped.io.poll();
    CHECK_FALSE(background.over());
  }
  stopped.io.run();
  CHECK(*stopped.came_to == "cancelled");
  kept.ends->set();
  kept.io.run();
  CHECK(*kept.came_to == "ended");
}

TEST_CASE("spawned: all who wait get what came of it; the wait has an end of its own") {
  SpawnScene scene;
  const Spawned<std::string> spawned(scene.io.get_executor(), scene.work());
  const Spawned<std::string> other_copy = spawned;  // NOLINT(performance-unnecessary-copy-initialization)
  CHECK_FALSE(test::run(scene.io, other_copy.wait_by(Clock::now() + 10ms)));
  scene.ends->set();
  CHECK(test::run(scene.io, spawned.wait_by(Clock::time_point::max())));
  CHECK(spawned.result() == "made");
  const Spawned<std::string> failed(scene.io.get_executor(), fail());
  CHECK_NOTHROW(failed.Spawned<>::result());  // not over yet
  CHECK(test::run(scene.io, failed.wait_by(Clock::time_point::max())));
  for (int asked = 0; asked < 2; ++asked) {
    CHECK_THROWS_WITH_AS(static_cast<void>(failed.result()), "a fault", std::runtime_error);
  }
  CHECK(Spawned<>().is_over());
}

TEST_CASE("spawned: a caller that is cancelled leaves the work alone, or cancels it where it says so") {
  SpawnScene scene;
  const Spawned<std::string> spawned(scene.io.get_executor(), scene.work());
  cut_short(scene.io, spawned.wait_by(Clock::time_point::max()));
  CHECK_FALSE(spawned.is_over());
  spawned.cancel();
  scene.io.poll();
  CHECK(spawned.is_over());
  CHECK_THROWS_AS(static_cast<void>(spawned.result()), boost::system::system_error);

  SpawnScene asked;
  cut_short(asked.io, answer_by(Clock::time_point::max(), asked.work()));
  asked.ends->set();
  asked.io.run();
  CHECK(*asked.came_to == "cancelled");
}

TEST_CASE("spawned: what is late for its answer goes on; a loop that ends first takes the work with it") {
  SpawnScene scene;
  const auto late = test::run(scene.io, answer_by(Clock::now() + 10ms, scene.work()));
  CHECK_FALSE(late.is_over());
  scene.ends->set();
  const auto in_time =
      test::run(scene.io, answer_by(Clock::time_point::max(), SpawnScene().work(scene.ends, scene.came_to)));
  CHECK(in_time.result() == "made");
  Spawned<std::string> left;
  {
    SpawnScene gone;
    left = Spawned<std::string>(gone.io.get_executor(), gone.work());
    gone.io.poll();
  }
  left.cancel();
  CHECK_FALSE(left.is_over());
}
