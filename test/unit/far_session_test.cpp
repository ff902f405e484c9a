#include "hosts/far_session.hpp"

#include <doctest/doctest.h>

#include <boost/asio.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "base/files.hpp"
#include "event_loop.hpp"
#include "hosts/hello.hpp"
#include "temp_files.hpp"

using namespace terminally;
using namespace terminally::test;

namespace {

/// Answers what begins a session, and puts what it reads from there on into a file. Its output stays open.
constexpr const char* kSilent =
    "printf %s \"$1\"; read -r line; "
    "echo '{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"serverInfo\":{\"version\":\"1\"}}}'; cat >\"$2\"; "
    "exit";
/// Answers what begins a session, and reads no more.
constexpr const char* kDeaf =
    "printf %s \"$1\"; read -r line; "
    "echo '{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"serverInfo\":{\"version\":\"1\"}}}'; exec sleep 1000";

FarSession::Request a_request(std::size_t bytes) {
  FarSession::Request request;
  request.method = "tools/call";
  request.params = std::make_shared<nlohmann::ordered_json>();
  (*request.params)["text"] = std::string(bytes, 'x');
  request.by = Clock::now() + std::chrono::seconds(200);  // no test waits for that
  return request;
}

}  // namespace

TEST_CASE("far session: who does not read what is sent does not fill the memory") {
  constexpr std::size_t kMuch = std::size_t{34} << 20U;
  boost::asio::io_context io;
  const std::string nonce = "00112233445566778899aabbccddeeff";
  HostEntry host;
  host.name = "deaf";
  host.command = {"sh"};
  const auto session = run(io, FarSession::open(host, {"sh", "-c", kDeaf, "-", hello_line(nonce, "1")}, nonce,
                                                Milliseconds(20'000)));
  UnderWay<nlohmann::ordered_json> sent(io, session->request(a_request(kMuch)));
  io.poll();  // the pipe is full by now, and the rest of it is on its way
  UnderWay<nlohmann::ordered_json> waits(io, session->request(a_request(kMuch)));
  io.poll();
  const Failure more = failure_of(io, session->request(a_request(1)));
  CHECK(more.code == ErrorCode::busy);
  CHECK(more.says("bytes already wait to be sent to this host"));
  session->close("over");
  CHECK_THROWS_WITH_AS(static_cast<void>(sent.result()), doctest::Contains("over"), Error);
  CHECK_THROWS_WITH_AS(static_cast<void>(waits.result()), doctest::Contains("over"), Error);
}

TEST_CASE("far session: what is late is ended there, but for what is asked for again by its key") {
  const TempDir dir;
  const std::string file = (dir.path() / "read").string();
  boost::asio::io_context io;
  const std::string nonce = "00112233445566778899aabbccddeeff";
  HostEntry host;
  host.name = "silent";
  host.command = {"sh"};
  const auto session =
      run(io, FarSession::open(host, {"sh", "-c", kSilent, "-", hello_line(nonce, "1"), file}, nonce,
                               Milliseconds(20'000)));
  for (const bool ends : {false, true}) {
    FarSession::Request request = a_request(ends ? 2 : 1);
    request.by = Clock::now() + Milliseconds(500);  // late, but not before it is written
    request.ends_if_late = ends;
    const Failure late = failure_of(io, session->request(std::move(request)));
    CAPTURE(late.text);
    CHECK(late.says("has not answered in time"));
  }
  const auto read = [&] { return read_file(file).value_or(""); };
  REQUIRE(comes_true(io, [&] { return read().find("notifications/cancelled") != std::string::npos; }));
  CHECK(read().find("\"requestId\":3") != std::string::npos);
  CHECK(read().find("\"requestId\":2") == std::string::npos);
  session->close("over");
}

TEST_CASE("far pipe: what was written is waited for half a minute at most") {
  constexpr std::size_t kMuch = std::size_t{10} << 20U;
  const TempDir dir;
  const std::string file = (dir.path() / "read").string();
  boost::asio::io_context io;
  const std::string nonce = "00112233445566778899aabbccddeeff";
  FarPipe pipe(io.get_executor(), HostEntry{},
               {"sh", "-c", "printf %s \"$1\"; head -c \"$2\" >\"$3\"; exec sleep 1000", "-",
                hello_line(nonce, "1"), std::to_string(kMuch), file});
  run(io, pipe.hello(nonce));
  const UnderWay<void> writes(io, pipe.write_loop());
  REQUIRE(pipe.send(std::string(kMuch, 'x')));
  const auto is_read = [&] {
    std::error_code error;
    return std::filesystem::file_size(file, error) == kMuch;
  };
  REQUIRE(comes_true(io, is_read));
  CHECK(pipe.heard() < Clock::now() + std::chrono::seconds(31));
  CHECK(pipe.heard() > Clock::now() + std::chrono::seconds(1));
  pipe.end();
  io.restart();
  io.poll();
}

TEST_CASE("far pipe: a command that has ended without a hello is not waited for, whoever has its output") {
  boost::asio::io_context io;
  HostEntry host;
  host.name = "left";
  host.command = {"sh"};
  FarPipe pipe(io.get_executor(), host, {"sh", "-c", "sleep 1000 & exit 3"});
  const Failure failure = failure_of(io, pipe.hello("00"));
  CHECK(failure.says("exited with code 3"));
  pipe.end();
  io.restart();
  io.poll();
}
