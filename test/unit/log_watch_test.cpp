#include <doctest/doctest.h>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <fstream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "system/log_watch.hpp"
#include "temp_files.hpp"

namespace asio = boost::asio;
using namespace std::chrono_literals;
using namespace terminally;
using test::append_to;
using test::TempDir;

namespace {

// True: it changed within the limit.
asio::awaitable<bool> changed_within(LogWatch::Watch& watch, std::chrono::milliseconds limit) {
  using namespace asio::experimental::awaitable_operators;
  asio::steady_timer timer(co_await asio::this_coro::executor, limit);
  const auto first = co_await (watch.changed() || timer.async_wait(asio::use_awaitable));
  co_return first.index() == 0;
}

/// Runs the test's coroutine to its end, and then until the loop has nothing left to wait for.
void run(asio::awaitable<void> (*test)(LogWatch&, const TempDir&), Milliseconds pause = Milliseconds(0)) {
  const TempDir dir;
  asio::io_context io(1);
  LogWatch log_watch(io.get_executor(), pause);
  std::exception_ptr failure;
  bool ended = false;
  asio::co_spawn(io, test(log_watch, dir), [&](const std::exception_ptr& error) {
    failure = error;
    ended = true;
  });
  io.run_for(10s);
  REQUIRE(ended);
  CHECK(io.stopped());  // an idle LogWatch does not keep the loop running
  if (failure) {
    std::rethrow_exception(failure);
  }
}

}  // namespace

static asio::awaitable<void> change_before_wait(LogWatch& log_watch, const TempDir& dir) {
  append_to(dir / "log", "before the watch");
  LogWatch::Watch watch = log_watch.watch(dir / "log");
  CHECK_FALSE(co_await changed_within(watch, 20ms));
  append_to(dir / "log", "1");
  append_to(dir / "log", "2");
  CHECK(co_await changed_within(watch, 5s));
  while (co_await changed_within(
      watch, 20ms)) {  // at most one more: changes that were not waited for are one wake-up
  }
  append_to(dir / "log", "3");
  asio::steady_timer timer(co_await asio::this_coro::executor, 20ms);
  co_await timer.async_wait(asio::use_awaitable);  // the event arrives while nobody waits
  CHECK(co_await changed_within(watch, 5s));
}

TEST_CASE("a change between the look and the wait is not lost") {
  run(change_before_wait);
}

static asio::awaitable<void> file_that_comes_and_goes(LogWatch& log_watch, const TempDir& dir) {
  LogWatch::Watch watch = log_watch.watch(dir / "log");
  append_to(dir / "log", "");
  CHECK(co_await changed_within(watch, 5s));
  append_to(dir / "new", "x");
  CHECK_FALSE(co_await changed_within(watch, 20ms));
  std::filesystem::rename(dir / "new", dir / "log");
  CHECK(co_await changed_within(watch, 5s));
  std::filesystem::resize_file(dir / "log", 0);
  CHECK(co_await changed_within(watch, 5s));
}

TEST_CASE("a file can be watched before it exists, be replaced, and be truncated") {
  run(file_that_comes_and_goes);
}

static asio::awaitable<void> hundred_files(LogWatch& log_watch, const TempDir& dir) {
  std::filesystem::create_directory(dir / "other");
  std::vector<std::filesystem::path> paths;
  std::vector<LogWatch::Watch> watches;
  for (int i = 0; i < 100; ++i) {
    const std::string name = "pane-@" + std::to_string(i / 2) + ".log";
    paths.push_back(i % 2 == 0 ? dir / name : dir / "other" / name);
    watches.push_back(log_watch.watch(paths.back()));
  }
  for (std::size_t i = 0; i < paths.size(); i += 3) {
    append_to(paths[i], "x");
  }
  for (std::size_t i = 0; i < paths.size(); ++i) {
    CAPTURE(i);
    const bool written = i % 3 == 0;
    CHECK(co_await changed_within(watches[i], written ? 5000ms : 1ms) == written);
  }
}

TEST_CASE("a hundred files in two directories wake only those who wait for them") {
  run(hundred_files);
}

static asio::awaitable<void> two_watches(LogWatch& log_watch, const TempDir& dir) {
  LogWatch::Watch stays = log_watch.watch(dir / "log");
  std::optional<LogWatch::Watch> goes(log_watch.watch(dir.path() / "." / "log"));  // the same by another path
  append_to(dir / "log", "x");
  CHECK(co_await changed_within(*goes, 5s));
  CHECK(co_await changed_within(stays, 5s));
  goes.reset();
  while (co_await changed_within(stays, 20ms)) {
  }
  append_to(dir / "log", "x");
  CHECK(co_await changed_within(stays, 5s));
}

static asio::awaitable<void> write_all_the_time(LogWatch& log_watch, const TempDir& dir) {
  std::ofstream file(dir / "a.log");
  int told = 0;
  const LogWatch::Watch all = log_watch.watch_logs(dir.path(), LogEvents::all, [&told] { ++told; });
  asio::steady_timer timer(co_await asio::this_coro::executor);
  const auto begin = Clock::now();
  for (int i = 0; i < 100; ++i) {
    file << 'x' << std::flush;
    timer.expires_after(1ms);
    co_await timer.async_wait(asio::use_awaitable);
  }
  const auto took = Clock::now() - begin;
  CHECK(told >= 2);
  CHECK(told <= 2 + took / 20ms);
}

TEST_CASE("who looks on is told of many writes at once") {
  run(&write_all_the_time, Milliseconds(20));
}

TEST_CASE("two watches on one file both hear of a change, and the end of one does not end the other") {
  run(two_watches);
}

static asio::awaitable<void> watch_again(LogWatch& log_watch, const TempDir& dir) {
  for (int i = 0; i < 20; ++i) {
    LogWatch::Watch watch = log_watch.watch(dir / "log");
    append_to(dir / "log", "x");
    CHECK(co_await changed_within(watch, 5s));
  }
}

TEST_CASE("a directory that was given up can be watched again at once") {
  run(watch_again);
}

static asio::awaitable<void> wait_once(LogWatch& log_watch, std::filesystem::path path) {
  LogWatch::Watch watch = log_watch.watch(path);
  co_await watch.changed();
}

static auto keep_code(boost::system::error_code& code) {
  return [&code](const std::exception_ptr& error) {
    try {
      std::rethrow_exception(error);
    } catch (const boost::system::system_error& failure) {
      code = failure.code();
    }
  };
}

TEST_CASE("whoever waits when the LogWatch goes is told") {
  const TempDir dir;
  asio::io_context io(1);
  std::optional<LogWatch> log_watch(io.get_executor());
  boost::system::error_code result;
  asio::co_spawn(io, wait_once(*log_watch, dir / "log"), keep_code(result));
  asio::post(io, [&] { log_watch.reset(); });
  io.run_for(10s);
  CHECK(result == asio::error::operation_aborted);
}

static asio::awaitable<void> wait_on(LogWatch::Watch& watch) {
  co_await watch.changed();
}

TEST_CASE("a watch may outlive its LogWatch, and then says so at once") {
  const TempDir dir;
  asio::io_context io(1);
  std::optional<LogWatch> log_watch(io.get_executor());
  LogWatch::Watch watch = log_watch->watch(dir / "log");
  log_watch.reset();
  boost::system::error_code result;
  asio::co_spawn(io, wait_on(watch), keep_code(result));
  io.run_for(10s);
  CHECK(result == asio::error::operation_aborted);
}

TEST_CASE("a cancelled wait ends with operation_aborted") {
  const TempDir dir;
  asio::io_context io(1);
  LogWatch log_watch(io.get_executor());
  asio::cancellation_signal cancel;
  boost::system::error_code result;
  asio::co_spawn(io, wait_once(log_watch, dir / "log"),
                 asio::bind_cancellation_slot(cancel.slot(), keep_code(result)));
  asio::post(io, [&] { cancel.emit(asio::cancellation_type::terminal); });
  io.run_for(10s);
  CHECK(result == asio::error::operation_aborted);
}

TEST_CASE("a directory that does not exist cannot be watched") {
  const TempDir dir;
  asio::io_context io(1);
  LogWatch log_watch(io.get_executor());
  CHECK_THROWS_AS(static_cast<void>(log_watch.watch(dir / "missing" / "log")), Error);
}
