#include "log/log_follower.hpp"

#include <doctest/doctest.h>

#include <boost/asio.hpp>
#include <memory>
#include <string>
#include <vector>

#include "base/event.hpp"
#include "event_loop.hpp"
#include "pane/log_files.hpp"
#include "temp_files.hpp"

using namespace terminally;
namespace asio = boost::asio;
using test::append_to;
using test::TempDir;

namespace {

/// How far a log is to be read, as a test says.
struct Told {
  ReadableRange::Part part;
  Event changed;

  void tell(ReadableRange::Part now) {
    part = now;
    changed.notify();
  }
};

class ToldReach : public ReadableRange {
 public:
  explicit ToldReach(std::shared_ptr<Told> told) : told_(std::move(told)) {}
  Part now() override { return told_->part; }
  asio::awaitable<void> changed_by(Clock::time_point when) override {
    [[maybe_unused]] const bool changed = co_await told_->changed.wait_by(when);
  }
  void wake() override { told_->changed.notify(); }

 private:
  std::shared_ptr<Told> told_;
};

/// Takes a slice when it is asked to, or all that come.
class Reader {
 public:
  Reader(asio::io_context& io, LogFollower follower) : io_(io), follower_(std::move(follower)) {}

  void take_all() { spawn(read_to_end()); }
  void take_one() { spawn(read_one()); }
  void cancel() { cancel_.emit(asio::cancellation_type::terminal); }

  LogFollower& follower() { return follower_; }

  std::string text;
  std::vector<PaneLog::Slice> slices;
  std::uint64_t gone = 0;
  bool ended = false;
  bool aborted = false;

 private:
  void spawn(asio::awaitable<void> work) {
    const auto over = [this](const std::exception_ptr& failure) { aborted = failure != nullptr; };
    asio::co_spawn(io_, std::move(work), asio::bind_cancellation_slot(cancel_.slot(), over));
  }

  asio::awaitable<void> read_one() {
    std::optional<PaneLog::Slice> slice = co_await follower_.next();
    ended = !slice;
    if (slice) {
      gone += slice->gap_bytes.value_or(0);
      text += slice->bytes;
      slices.push_back(std::move(*slice));
    }
  }

  asio::awaitable<void> read_to_end() {
    do {
      co_await read_one();
    } while (!ended);
  }

  asio::io_context& io_;
  LogFollower follower_;
  asio::cancellation_signal cancel_;
};

/// A log that the real writer writes, and one event loop, which runs until everybody waits.
struct World {
  explicit World(const LogLimits& limits = {
                     .segment_bytes = 1'000'000, .quota_bytes = 10'000'000, .min_free_bytes = 0}) {
    REQUIRE(writer.set_path((dir / "pane-@3.log").native()));
    writer.set_limits(limits);
    REQUIRE(writer.open());
  }

  void print(const std::string& bytes) {
    REQUIRE(writer.open());
    REQUIRE(writer.append(bytes.data(), bytes.size()) == bytes.size());
    told->changed.notify();
  }

  void settle() {
    io.restart();
    io.poll();
  }

  [[nodiscard]] PaneLog log() const { return PaneLog(dir / "pane-@3.log"); }
  [[nodiscard]] LogFollower follower(std::uint64_t from, std::size_t slice_bytes = 1'000) {
    return {log(), std::make_unique<ToldReach>(told), from, slice_bytes};
  }

  TempDir dir{test::in_memory()};
  LogFiles writer;
  asio::io_context io{1};
  std::shared_ptr<Told> told = std::make_shared<Told>();
};

}  // namespace

TEST_CASE("follower: in whatever parts a log comes and is taken, all of it is read once and in order") {
  const std::string all = "0123456789abcdef";
  for (std::size_t split = 0; split <= all.size(); ++split) {
    for (std::size_t slice_bytes = 1; slice_bytes <= all.size() + 1; ++slice_bytes) {
      CAPTURE(split);
      CAPTURE(slice_bytes);
      World world;
      Reader reader(world.io, world.follower(3, slice_bytes));
      reader.take_all();
      world.print(all.substr(0, split));
      world.settle();
      CHECK(reader.text == all.substr(0, split).substr(std::min<std::size_t>(3, split)));
      world.print(all.substr(split));
      world.settle();
      CHECK(reader.text == all.substr(3));
      CHECK(reader.slices.back().eof);
      CHECK_FALSE(reader.ended);
      world.told->tell({.last = true});
      world.settle();
      CHECK(reader.ended);
      CHECK(reader.text == all.substr(3));
    }
  }
}

TEST_CASE("follower: no byte beyond what may be read, and none before it begins") {
  World world;
  world.told->part = {.begin = 0, .end = 0};
  Reader reader(world.io, world.follower(0));
  reader.take_all();
  world.print("typed line|output|prompt");
  world.settle();
  CHECK(reader.text.empty());
  world.told->tell({.begin = 11, .end = 14});
  world.settle();
  CHECK(reader.text == "out");
  world.told->tell({.begin = 11, .end = 16});
  world.settle();
  CHECK(reader.text == "outpu");
  world.told->tell({.begin = 11, .end = 17, .last = true});
  world.settle();
  CHECK(reader.text == "output");
  CHECK(reader.ended);
  CHECK(reader.gone == 0);
}

TEST_CASE("follower: a slow reader has one slice in memory, is told of each byte that is gone, and no more") {
  World world({.segment_bytes = 10, .quota_bytes = 30, .min_free_bytes = 0});
  Reader reader(world.io, world.follower(0, 4));
  world.print("0123456789");
  reader.take_one();
  world.settle();
  CHECK(reader.text == "0123");
  for (int segment = 1; segment < 9; ++segment) {  // the oldest ones are dropped beneath it
    world.print("abcdefghij");
  }
  world.settle();
  CHECK(reader.slices.size() == 1);  // it was not asked
  CHECK(reader.follower().unread() == 86);
  const std::uint64_t held_from = world.log().read(4, 1).from;
  REQUIRE(held_from > 10);
  reader.take_one();
  world.settle();
  CHECK(reader.slices.back().from == held_from);
  CHECK(reader.gone == held_from - 4);
  world.told->tell({.last = true});
  reader.take_all();
  world.settle();
  CHECK(reader.ended);
  CHECK(reader.gone == held_from - 4);
  CHECK(4 + reader.gone + (reader.text.size() - 4) == 90);
  for (const PaneLog::Slice& slice : reader.slices) {
    CHECK(slice.bytes.size() <= 4);
  }
}

TEST_CASE("follower: where all that may be read is gone, that is told and nothing behind it is given") {
  World world({.segment_bytes = 10, .quota_bytes = 20, .min_free_bytes = 0});
  world.told->part = {.begin = 2, .end = 8, .last = true};
  Reader reader(world.io, world.follower(0));
  for (int segment = 0; segment < 6; ++segment) {
    world.print("0123456789");
  }
  reader.take_all();
  world.settle();
  CHECK(reader.ended);
  CHECK(reader.text.empty());
  CHECK(reader.gone == 6);
  CHECK(reader.follower().offset() == 8);
}

TEST_CASE("follower: a log that was removed is a gap up to the end that was said") {
  World world;
  world.print("0123456789");
  world.told->part = {.end = 8, .last = true};
  Reader reader(world.io, world.follower(3));
  std::filesystem::remove_all(world.dir.path());
  reader.take_all();
  world.settle();
  CHECK(reader.ended);
  CHECK(reader.gone == 5);
}

TEST_CASE("follower: finished by another, it gives what is there, and ends") {
  World world;
  world.print("before");
  Reader waiting(world.io, world.follower(0));
  Reader behind(world.io, world.follower(0, 1));
  waiting.take_all();
  world.settle();
  waiting.follower().finish();
  behind.follower().finish();
  world.settle();
  CHECK(waiting.ended);
  CHECK(waiting.text == "before");
  behind.take_one();
  world.settle();
  world.print(" and after");
  behind.take_all();
  world.settle();
  CHECK(behind.ended);
  CHECK(behind.text == "before");
}

TEST_CASE("follower: several follow one log, each at its own pace") {
  World world;
  Reader fast(world.io, world.follower(0));
  Reader slow(world.io, world.follower(0, 2));
  fast.take_all();
  slow.take_one();
  world.print("0123");
  world.settle();
  world.print("456789");
  world.settle();
  CHECK(fast.text == "0123456789");
  CHECK(slow.text == "01");
  slow.take_all();
  world.told->tell({.last = true});
  world.settle();
  CHECK(slow.text == "0123456789");
  CHECK(slow.ended);
}

TEST_CASE("follower: one that was cancelled may be asked again, and has lost nothing") {
  World world;
  Reader reader(world.io, world.follower(0));
  reader.take_one();
  world.settle();
  reader.cancel();
  world.settle();
  CHECK(reader.aborted);
  world.print("0123");
  reader.take_one();
  world.settle();
  CHECK(reader.text == "0123");
}

TEST_CASE("follower: a reader that only wants to know reads nothing, and goes on behind it") {
  using More = LogFollower::More;
  World world;
  LogFollower follower = world.follower(0);
  std::vector<More> heard;
  const auto ask = [&](Clock::time_point when) {
    asio::co_spawn(world.io, follower.more_by(when), [&](const std::exception_ptr& failure, More more) {
      REQUIRE(failure == nullptr);
      heard.push_back(more);
    });
    world.settle();
  };
  ask(Clock::now());
  CHECK(heard == std::vector{More::not_yet});
  ask(Clock::time_point::max());
  CHECK(heard.size() == 1);
  world.print("news");
  world.settle();
  CHECK(heard == std::vector{More::not_yet, More::yes});
  CHECK(follower.offset() == 0);
  follower.skip();
  CHECK(follower.offset() == 4);
  world.print("more");
  world.told->tell({.last = true});
  ask(Clock::time_point::max());
  follower.skip();
  ask(Clock::time_point::max());
  CHECK(heard == std::vector{More::not_yet, More::yes, More::yes, More::never});
}

TEST_CASE("follower: a log that cannot be read for a moment is waited for, and told of behind that (V7)") {
  World world;
  world.print("0123");
  const std::filesystem::path log = world.dir / "pane-@3.log";
  const auto make_unreadable = [&] {
    std::filesystem::rename(log, world.dir / "aside");
    std::filesystem::create_directory(log);
  };
  Reader reader(world.io, world.follower(0));
  make_unreadable();
  reader.take_one();
  world.settle();  // it has tried
  CHECK_FALSE(reader.aborted);
  std::filesystem::remove(log);
  std::filesystem::rename(world.dir / "aside", log);
  CHECK(test::eventually([&] {
    world.settle();
    return reader.text == "0123";
  }));
  make_unreadable();
  const test::Failure failure = test::failure_of(world.io, reader.follower().next(Milliseconds(0)));
  CHECK(failure.says("cannot read " + log.string()));
}

TEST_CASE("follower: nothing came by the time: an empty slice") {
  World world;
  world.print("0123");
  LogFollower follower = world.follower(4);
  std::optional<PaneLog::Slice> slice;
  asio::co_spawn(
      world.io, follower.next_by(Clock::now()),
      [&](const std::exception_ptr&, std::optional<PaneLog::Slice> got) { slice = std::move(got); });
  world.settle();
  REQUIRE(slice.has_value());
  CHECK(slice->bytes.empty());
  CHECK(slice->next == 4);
  CHECK(slice->eof);
}

TEST_CASE("follower: a whole log is followed by its file, until it is closed") {
  World world;
  LogWatch watch(world.io.get_executor());
  bool closed = false;
  auto reach = std::make_unique<WholeLog>(watch.watch(world.log().path()), [&closed] { return closed; });
  Reader reader(world.io, LogFollower(world.log(), std::move(reach), 0));
  reader.take_all();
  world.settle();
  world.print("0123");
  const auto wait_until = [&world](const auto& condition) {
    return test::eventually([&] {
      world.settle();
      return condition();
    });
  };
  CHECK(wait_until([&] { return reader.text == "0123"; }));
  closed = true;
  world.print("the last");
  CHECK(wait_until([&] { return reader.ended; }));
  CHECK(reader.text == "0123the last");
}
