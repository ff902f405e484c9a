#include "base/process.hpp"

#include <doctest/doctest.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/asio.hpp>
#include <cerrno>
#include <csignal>
#include <string>

#include "base/descriptors.hpp"
#include "base/error.hpp"
#include "base/timeout.hpp"
#include "temp_files.hpp"

using namespace terminally;
namespace asio = boost::asio;

namespace {

ProcessResult run(const Argv& argv, Milliseconds deadline = Milliseconds(10'000),
                  const std::vector<std::string>& environment = {}) {
  asio::io_context io(1);
  ProcessResult result;
  std::exception_ptr failure;
  asio::co_spawn(io, run_process(argv, deadline, environment),
                 [&](const std::exception_ptr& error, ProcessResult got) {
                   failure = error;
                   result = std::move(got);
                 });
  io.run();
  if (failure) {
    std::rethrow_exception(failure);
  }
  return result;
}

bool has_children() {
  return ::waitpid(-1, nullptr, WNOHANG) >= 0 || errno != ECHILD;
}

/// One that was killed and was not dead at once is reaped with the next start.
bool no_child_is_left() {
  return test::eventually([] {
    const bool none = !has_children();
    static_cast<void>(none ? ProcessResult() : run({"true"}));
    return none;
  });
}

/// One that ends, with all that is seen of it, and in its place one that goes on without a word.
asio::awaitable<int> one_after_another() {
  const auto executor = co_await asio::this_coro::executor;
  {
    const Argv quick{"true"};
    ChildProcess process(executor, quick);
    while (!process.has_ended()) {
      co_await sleep_for(Milliseconds(1));
    }
    static_cast<void>(co_await process.read_some());
  }
  Argv slow{"sh", "-c", "exec >&- 2>&-; sleep 0.02; exit 7"};
  const ProcessResult result = co_await run_process(std::move(slow), Milliseconds(10'000));
  co_return result.exit_code;
}

}  // namespace

TEST_CASE("process: the end of one is not taken for that of the next") {
  for (int i = 0; i < 50; ++i) {
    asio::io_context io(1);
    int code = 0;
    asio::co_spawn(io, one_after_another(), [&code](const std::exception_ptr&, int got) { code = got; });
    io.run();
    CHECK(code == 7);
  }
}

TEST_CASE("process: output, errors and exit code, by argv and without a shell") {
  const ProcessResult result = run({"printf", "%s|", "a b", "$HOME", "`id`", ""});
  CHECK(result.out == "a b|$HOME|`id`||");
  CHECK(result.exit_code == 0);
  const ProcessResult failed = run({"sh", "-c", "echo out; echo err >&2; exit 7"});
  CHECK(failed.out == "out\n");
  CHECK(failed.err == "err\n");
  CHECK(failed.exit_code == 7);
}

TEST_CASE("process: a signal is 128 and its number, stdin is empty, the environment is what was given") {
  CHECK(run({"sh", "-c", "kill -9 $$"}).exit_code == 137);
  CHECK(run({"cat"}).out.empty());
  CHECK(run({"env"}, Milliseconds(10'000), {"ONLY=this"}).out == "ONLY=this\n");
}

TEST_CASE("process: one that was started before its input is known") {
  asio::io_context io(1);
  ChildProcess child(io.get_executor(), {"cat"});
  CHECK_FALSE(child.has_ended());
  const std::string input(300'000, 'x');
  ProcessResult result;
  asio::co_spawn(io, child.finish(input, Milliseconds(10'000)),
                 [&](const std::exception_ptr&, ProcessResult got) { result = std::move(got); });
  io.run();
  CHECK(result.out == input);
  CHECK_FALSE(has_children());
  {
    const ChildProcess unused(io.get_executor(), {"cat"});
    CHECK(has_children());
  }
  CHECK(no_child_is_left());
}

TEST_CASE("process: one that ends without reading its input is no error") {
  asio::io_context io(1);
  ChildProcess child(io.get_executor(), {"false"});
  ProcessResult result;
  asio::co_spawn(io, child.finish(std::string(300'000, 'x'), Milliseconds(10'000)),
                 [&](const std::exception_ptr&, ProcessResult got) { result = std::move(got); });
  io.run();
  CHECK(result.exit_code == 1);
  CHECK_FALSE(result.timed_out);
}

TEST_CASE("process: more than a pipe holds comes whole") {
  CHECK(run({"head", "-c", "3000000", "/dev/zero"}).out.size() == 3'000'000);
}

TEST_CASE("process: at the deadline it is killed and reaped, a stopped one too") {
  const auto begin = Clock::now();
  CHECK(run({"sleep", "60"}, Milliseconds(100)).timed_out);
  CHECK(run({"sh", "-c", "trap '' TERM INT; kill -STOP $$; sleep 60"}, Milliseconds(100)).timed_out);
  CHECK(Clock::now() - begin < Milliseconds(20'000));
  CHECK(no_child_is_left());
}

TEST_CASE("E2: one that does not die of SIGKILL is waited for by nobody, and is reaped later") {
  asio::io_context io(1);
  ChildProcess child(io.get_executor(), {"sleep", "60"});
  // A process that another one traces cannot be reaped until that one lets it go: as good as a hanging disk.
  Pipe traces = make_pipe();
  const pid_t tracer = ::fork();
  if (tracer == 0) {
    const bool ok = ::ptrace(PTRACE_SEIZE, child.pid(), nullptr, nullptr) == 0;
    static_cast<void>(::write(traces.write.get(), ok ? "y" : "n", 1) < 0);
    ::pause();
    ::_exit(0);
  }
  char traced = '?';
  REQUIRE(::read(traces.read.get(), &traced, 1) == 1);
  REQUIRE(traced == 'y');
  CHECK(child.exit_code() == 128 + SIGKILL);
  CHECK(::waitpid(tracer, nullptr, WNOHANG) == 0);  // it never let go
  ::kill(tracer, SIGKILL);
  CHECK(::waitpid(tracer, nullptr, 0) == tracer);
  CHECK(no_child_is_left());
}

TEST_CASE("process: a cancelled call leaves no child") {
  asio::io_context io(1);
  asio::cancellation_signal signal;
  bool aborted = false;
  asio::co_spawn(io, run_process({"sleep", "60"}, Milliseconds(60'000), {}),
                 asio::bind_cancellation_slot(signal.slot(),
                                              [&](const std::exception_ptr& failure, const ProcessResult&) {
                                                aborted = failure != nullptr;
                                              }));
  io.poll();
  signal.emit(asio::cancellation_type::terminal);
  io.restart();
  io.run();
  CHECK(aborted);
  CHECK(no_child_is_left());
}

TEST_CASE("process: a program that is not there is named") {
  CHECK_THROWS_WITH_AS(run({"no-such-program-here"}), doctest::Contains("no-such-program-here"), Error);
}
