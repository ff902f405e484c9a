#include "base/worker.hpp"

#include <doctest/doctest.h>

#include <boost/asio.hpp>
#include <stdexcept>
#include <thread>

#include "base/timeout.hpp"

using namespace terminally;
namespace asio = boost::asio;

namespace {

asio::awaitable<void> run_and_note(Worker& worker, std::function<void()> work, std::string& outcome) {
  try {
    co_await worker.run(std::move(work));
    outcome = "done";
  } catch (const boost::system::system_error&) {
    outcome = "cancelled";
  } catch (const std::runtime_error& error) {
    outcome = error.what();
  }
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
