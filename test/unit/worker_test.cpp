#include "base/worker.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <boost/asio.hpp>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "base/timeout.hpp"

using namespace terminally;
namespace asio = boost::asio;

namespace {

asio::awaitable<void> run_and_note(Worker& worker, std::function<void()> work, std::string& outcome,
                                   std::uint64_t cost = 1) {
  try {
    co_await worker.run(cost, std::move(work));
    outcome = "done";
  } catch (const boost::system::system_error&) {
    outcome = "cancelled";
  } catch (const std::runtime_error& error) {
    outcome = error.what();
  }
}

/// As a scan of a file does.
asio::awaitable<void> take_steps(Worker& worker, int& left) {
  while (left > 0) {
    --left;
    co_await worker.run(1, [] {});
  }
}

asio::awaitable<void> run_dear(Worker& worker, const int& left, int& left_then) {
  co_await worker.run(1'000'000, [] {});
  left_then = left;
}

}  // namespace

TEST_CASE("worker: work is done on another thread, and its failure is passed on") {
  asio::io_context io(1);
  Worker worker;
  std::thread::id thread;
  std::string first;
  std::string second;
  asio::co_spawn(io,
                 run_and_note(worker, [&] { thread = std::this_thread::get_id(); }, first), asio::detached);
  asio::co_spawn(io,
                 run_and_note(worker, [] { throw std::runtime_error("it failed"); }, second), asio::detached);
  io.run();
  CHECK(first == "done");
  CHECK(thread != std::this_thread::get_id());
  CHECK(thread != std::thread::id());
  CHECK(second == "it failed");
}

TEST_CASE("D17: work that nobody waits for any more ends, when its caller or its worker goes") {
  const auto never_ends = [](std::atomic<bool>& begun) {
    return [&begun] {
      for (begun = true;; std::this_thread::yield()) {
        throw_if_abandoned();
      }
    };
  };
  for (const bool cancelled : {true, false}) {
    asio::io_context io(1);
    std::atomic<bool> begun{false};
    std::atomic<bool> next{false};
    std::string outcome;
    std::string after;
    auto worker = std::make_unique<Worker>();
    asio::cancellation_signal cancel;
    asio::co_spawn(io, run_and_note(*worker, never_ends(begun), outcome),
                   asio::bind_cancellation_slot(cancel.slot(), asio::detached));
    while (!begun) {
      io.poll();
    }
    if (cancelled) {
      cancel.emit(asio::cancellation_type::terminal);
      asio::co_spawn(io, run_and_note(*worker, [&next] { next = true; }, after), asio::detached);
      io.restart();
      io.run();
      CHECK(next);
    }
    worker.reset();  // hangs where the work goes on
  }
  CHECK_NOTHROW(throw_if_abandoned());
}

TEST_CASE("worker: its end leaves work alone that hangs in the system, with what that owns") {
  std::atomic<bool> go{false};
  auto owned = std::make_shared<int>(1);
  const std::weak_ptr<int> still_owned = owned;
  std::string outcome;
  const auto began = Clock::now();
  {
    asio::io_context io(1);
    std::atomic<bool> begun{false};
    Worker worker;
    asio::co_spawn(io,
                   run_and_note(
                       worker,
                       [&begun, &go, owned = std::move(owned)] {
                         begun = true;
                         go.wait(false);
                       },
                       outcome),
                   asio::detached);
    while (!begun) {
      io.poll();
    }
  }  // the event loop is gone, too: the work may not come back to it
  CHECK(Clock::now() - began < Milliseconds(5'000));
  CHECK_FALSE(still_owned.expired());
  go = true;
  go.notify_all();
  for (const auto until = Clock::now() + Milliseconds(5'000);
       !still_owned.expired() && Clock::now() < until;) {
    std::this_thread::yield();
  }
  CHECK(still_owned.expired());
}

TEST_CASE("worker: what is short goes before what is long, and what nobody waits for is not begun") {
  asio::io_context io(1);
  std::atomic<bool> begun{false};
  std::atomic<bool> go{false};
  std::string order;
  std::vector<std::string> outcomes(5);
  Worker worker;
  asio::cancellation_signal cancel;
  const auto spawn = [&](std::size_t number, std::uint64_t cost, std::function<void()> work) {
    asio::co_spawn(io, run_and_note(worker, std::move(work), outcomes[number], cost),
                   asio::bind_cancellation_slot(number == 2 ? cancel.slot() : asio::cancellation_slot(),
                                                asio::detached));
  };
  spawn(0, 1, [&] {
    begun = true;
    go.wait(false);
  });
  while (!begun) {
    io.poll();
  }
  spawn(1, 9, [&] { order += "9"; });
  spawn(2, 1, [&] { order += "cancelled"; });
  spawn(3, 5, [&] { order += "5a"; });
  spawn(4, 5, [&] { order += "5b"; });
  io.poll();
  cancel.emit(asio::cancellation_type::terminal);
  io.poll();
  go = true;
  go.notify_all();
  io.run();
  CHECK(order == "5a5b9");
  CHECK(outcomes == std::vector<std::string>{"done", "done", "cancelled", "done", "done"});
}

TEST_CASE("E2: however much short work comes, what is long has its turn soon") {
  asio::io_context io(1);
  Worker worker;
  int left = 1'000;
  int left_then = -1;
  for (int scan = 0; scan < 5; ++scan) {
    asio::co_spawn(io, take_steps(worker, left), asio::detached);
  }
  asio::co_spawn(io, run_dear(worker, left, left_then), asio::detached);
  io.run();
  CHECK(left_then > 900);
}

TEST_CASE("worker: the event loop goes on, and who is cancelled does not wait") {
  asio::io_context io(1);
  std::atomic<bool> go{false};
  std::string outcome;
  bool ticked = false;
  {
    Worker worker;
    asio::cancellation_signal cancel;
    asio::co_spawn(io,
                   run_and_note(
                       worker, [&] { go.wait(false); }, outcome),
                   asio::bind_cancellation_slot(cancel.slot(), asio::detached));
    asio::post(io, [&] {
      ticked = true;
      cancel.emit(asio::cancellation_type::terminal);
    });
    io.run_for(std::chrono::seconds(5));
    CHECK(ticked);
    CHECK(outcome == "cancelled");
    go = true;
    go.notify_all();
  }
}

TEST_CASE("E1: what is owned by a worker is destroyed on its thread, before other work, and at its end") {
  struct Closes {
    explicit Closes(std::vector<std::string>& into, const std::thread::id& of_loop)
        : said(&into), loop(of_loop) {}
    Closes(const Closes&) = delete;
    Closes& operator=(const Closes&) = delete;
    ~Closes() { said->emplace_back(std::this_thread::get_id() == loop ? "on the loop" : "on the thread"); }
    std::vector<std::string>* said;
    std::thread::id loop;
  };
  std::vector<std::string> said;
  const std::thread::id loop = std::this_thread::get_id();
  SUBCASE("before work that waits, beside the loop") {
    asio::io_context io(1);
    Worker worker;
    std::atomic<bool> go_on{false};
    std::string outcome;
    const auto object = [&] { return worker.own<Closes>(said, loop); };
    asio::co_spawn(io, run_and_note(worker, [&] { go_on.wait(false); }, outcome), asio::detached);
    asio::co_spawn(io,
                   run_and_note(worker, [&] { said.emplace_back("later work"); }, outcome), asio::detached);
    io.poll();
    object();  // destroyed here: its thread is busy, and nobody waits
    CHECK(said.empty());
    go_on = true;
    go_on.notify_all();
    io.run();
    CHECK(said == std::vector<std::string>{"on the thread", "later work"});
  }
  SUBCASE("before work that waits, where the work that has it is left by its caller") {
    asio::io_context io(1);
    Worker worker;
    std::atomic<bool> go_on{false};
    std::string outcome;
    asio::cancellation_signal cancel;
    std::atomic<bool> begun{false};
    std::function<void()> holds = [held = worker.own<Closes>(said, loop), &go_on, &begun] {
      begun = true;
      begun.notify_all();
      go_on.wait(false);
    };
    asio::co_spawn(io, run_and_note(worker, std::move(holds), outcome),
                   asio::bind_cancellation_slot(cancel.slot(), asio::detached));
    asio::co_spawn(io,
                   run_and_note(worker, [&] { said.emplace_back("later work"); }, outcome), asio::detached);
    io.poll();
    begun.wait(false);  // what has not begun is dropped
    cancel.emit(asio::cancellation_type::terminal);
    io.poll();
    CHECK(said.empty());
    go_on = true;
    go_on.notify_all();
    io.run();
    CHECK(said == std::vector<std::string>{"on the thread", "later work"});
  }
  SUBCASE("at the end of the worker, which abandons all other work") {
    asio::io_context io(1);
    auto worker = std::make_unique<Worker>();
    std::string outcome;
    asio::co_spawn(io, run_and_note(*worker, [] {}, outcome), asio::detached);
    io.run();
    auto object = worker->own<Closes>(said, loop);
    SUBCASE("while it lives") {
      object.reset();
      worker.reset();
      CHECK(said == std::vector<std::string>{"on the thread"});
    }
    SUBCASE("after it") {
      worker.reset();
      object.reset();
      CHECK(said == std::vector<std::string>{"on the loop"});
    }
  }
  SUBCASE("where no work was ever run") {
    const Worker worker;
    static_cast<void>(worker.own<Closes>(said, loop));
    CHECK(said == std::vector<std::string>{"on the loop"});
  }
}
