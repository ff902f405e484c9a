// T16: the transport over real descriptors. That stdin and stdout themselves are kept clean is tested end to
// end.
#include "stdio/stdio_transport.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <boost/asio.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "mcp/method_table.hpp"
#include "mcp/peer.hpp"
#include "programs.hpp"
#include "stdio/line_writer.hpp"
#include "toolkit/router.hpp"

using namespace terminally;
using nlohmann::json;
using test::write_all;
namespace asio = boost::asio;
using namespace std::chrono_literals;

namespace {

UniqueFd open_file(const std::string& path, int flags) {
  return UniqueFd(::open(path.c_str(), flags | O_CLOEXEC, 0600));
}

struct NoArgs {
  void describe(ArgsVisitor& /*v*/) {}
};

struct Done {};

void describe(ResultVisitor& v, const Done& /*result*/) {
  v.flag("done", true, "Always.");
}

asio::awaitable<Done> forever(ToolContext /*context*/, NoArgs /*args*/) {
  asio::steady_timer timer(co_await asio::this_coro::executor, std::chrono::steady_clock::time_point::max());
  co_await timer.async_wait(asio::use_awaitable);
  co_return Done{};
}

asio::awaitable<void> connect(StdioPair pair, Milliseconds answers_within, Milliseconds seen_after) {
  const auto executor = co_await asio::this_coro::executor;
  StdioTransport transport(executor, std::move(pair), answers_within);
  const std::vector<Tool> tools(1, make_tool<&forever>("forever", "Wait.", {}));
  const auto router = std::make_shared<const Router>(tools, Services{});
  const auto core = make_core(executor, router, Implementation{"test", "1"});
  const auto peer = std::make_shared<Peer>(core, std::make_shared<const PeerSettings>(), transport.stream());
  Ending ending;
  ending.on_begin = [seen_after] { return Clock::now() - seen_after; };
  co_await transport.run(*peer, true, ending);
}

/// Serves a connection to its end on a thread of its own, so that a test can be the client with plain reads
/// and writes.
class Served {
 public:
  /// `seen_after`: so late is the end of the input seen.
  explicit Served(StdioPair pair, Milliseconds answers_within = StdioTransport::kAnswersWithin,
                  Milliseconds seen_after = {}) {
    std::signal(SIGPIPE, SIG_IGN);  // as take_stdio does
    thread_ =
        std::thread([this, answers_within, seen_after, moved = std::make_shared<StdioPair>(std::move(pair))] {
          asio::co_spawn(io_, connect(std::move(*moved), answers_within, seen_after), asio::detached);
          io_.run();
        });
  }

  ~Served() { wait(); }
  Served(const Served&) = delete;
  Served& operator=(const Served&) = delete;

  void wait() {
    if (thread_.joinable()) {
      thread_.join();
    }
  }

 private:
  asio::io_context io_{1};
  std::thread thread_;
};

/// Into a pipe that does not block, until nobody has taken any of it for a while; how many it took.
std::size_t fill(int pipe, const std::string& line) {
  std::size_t taken = 0;
  pollfd room{.fd = pipe, .events = POLLOUT, .revents = 0};
  while (::poll(&room, 1, 400) > 0) {
    const bool whole = ::write(pipe, line.data(), line.size()) == static_cast<ssize_t>(line.size());
    taken += whole ? 1 : 0;
    REQUIRE(taken < 10'000);  // 40 MB: it would never stop
  }
  return taken;
}

/// Into a pipe that does not block: how many of the bytes were taken when nobody had taken any for a while,
/// which is not looked for before `least` were.
std::size_t pour(int pipe, std::string_view bytes, std::size_t least) {
  std::size_t taken = 0;
  pollfd room{.fd = pipe, .events = POLLOUT, .revents = 0};
  while (taken < bytes.size() && ::poll(&room, 1, taken < least ? 10'000 : 400) > 0) {
    const ssize_t size = ::write(pipe, bytes.data() + taken, bytes.size() - taken);
    taken += size > 0 ? static_cast<std::size_t>(size) : 0;
  }
  return taken;
}

std::string read_to_end(int fd) {
  std::string text;
  std::array<char, 65'536> buffer{};
  for (ssize_t size = 0; (size = ::read(fd, buffer.data(), buffer.size())) > 0;) {
    text.append(buffer.data(), static_cast<std::size_t>(size));
  }
  return text;
}

std::size_t lines_in(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

std::string ping(int id) {
  return R"({"jsonrpc":"2.0","id":)" + std::to_string(id) +
         R"(,"method":"ping"})"
         "\n";
}

std::string pings(int count) {
  std::string text;
  for (int id = 0; id < count; ++id) {
    text += ping(id);
  }
  return text;
}

/// A request whose answer is as long as itself.
std::string long_ping() {
  return R"({"jsonrpc":"2.0","id":")" + std::string(4'000, 'x') +
         R"(","method":"ping"})"
         "\n";
}

}  // namespace

TEST_CASE(
    "stdio: thousands of requests in one write are all answered, in order, and the end of input ends it") {
  Pipe in = make_pipe();
  Pipe out = make_pipe();
  Served served({std::move(in.read), std::move(out.write)});
  write_all(in.write.get(), pings(5'000));
  in.write.reset();
  const std::string answers = read_to_end(out.read.get());
  CHECK(lines_in(answers) == 5'000);
  CHECK(answers.starts_with(R"({"jsonrpc":"2.0","id":0,"result":{}})"
                            "\n"));
  CHECK(answers.ends_with(R"({"jsonrpc":"2.0","id":4999,"result":{}})"
                          "\n"));
}

TEST_CASE("stdio: a last line without its newline is served") {
  Pipe in = make_pipe();
  Pipe out = make_pipe();
  Served served({std::move(in.read), std::move(out.write)});
  const std::string line = ping(1);
  write_all(in.write.get(), line.substr(0, line.size() - 1));
  in.write.reset();
  CHECK(lines_in(read_to_end(out.read.get())) == 1);
}

TEST_CASE("stdio: calls under way end with the input, and are answered by an error") {
  Pipe in = make_pipe();
  Pipe out = make_pipe();
  Served served({std::move(in.read), std::move(out.write)});
  write_all(in.write.get(), R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"forever"}})"
                            "\n" +
                                ping(2));
  in.write.reset();
  const std::string answers = read_to_end(out.read.get());
  CHECK(answers.starts_with(
      R"({"jsonrpc":"2.0","id":2,"result":{}})"
      "\n"
      R"({"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"The client's input (stdin))"));
  CHECK(std::ranges::count(answers, '\n') == 2);
  served.wait();  // the loop runs out of work: nothing is left behind
}

TEST_CASE("stdio: the time for answers runs from the end of the input on, however late that is seen") {
  constexpr Milliseconds kLong = 60s;
  Pipe in = make_pipe();
  Pipe out = make_pipe();
  const auto begin = Clock::now();
  Served served({std::move(in.read), std::move(out.write)}, kLong, kLong - 100ms);
  write_all(in.write.get(), R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"forever"}})"
                            "\n");
  in.write.reset();
  CHECK(read_to_end(out.read.get()).find("The client's input (stdin)") != std::string::npos);
  CHECK(Clock::now() - begin < kLong / 2);
}

TEST_CASE("stdio: regular files and /dev/null serve as well") {
  std::string name = "/tmp/terminally-transport-XXXXXX";
  const UniqueFd file(::mkstemp(name.data()));
  REQUIRE(file);
  write_all(file.get(), pings(1'000));
  const std::string out_name = name + ".out";
  {
    Served served({open_file(name, O_RDONLY), open_file(out_name, O_WRONLY | O_CREAT | O_TRUNC)});
  }
  CHECK(lines_in(read_to_end(open_file(out_name, O_RDONLY).get())) == 1'000);
  {
    Served served({open_file(name, O_RDONLY), open_file("/dev/null", O_WRONLY)});
  }
  {
    Served served({open_file("/dev/null", O_RDONLY), open_file("/dev/null", O_WRONLY)});
  }
  ::unlink(name.c_str());
  ::unlink(out_name.c_str());
}

TEST_CASE("stdio: both ends may be one socket, and its flags are put back") {
  std::array<int, 2> ends{};
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) == 0);
  UniqueFd client(ends[0]);
  const UniqueFd server(ends[1]);
  const int flags = ::fcntl(server.get(), F_GETFL);
  {
    Served served({UniqueFd(::dup(server.get())), UniqueFd(::dup(server.get()))});
    write_all(client.get(), ping(1));
    std::array<char, 100> answer{};
    CHECK(::read(client.get(), answer.data(), answer.size()) > 0);
    CHECK((::fcntl(server.get(), F_GETFL) & O_NONBLOCK) != 0);  // or the next check could not fail
    ::shutdown(client.get(), SHUT_WR);
  }
  CHECK(::fcntl(server.get(), F_GETFL) == flags);
}

TEST_CASE("stdio: a client that does not read stops being read, and nothing is lost") {
  Pipe in = make_pipe();
  Pipe out = make_pipe();
  ::fcntl(in.write.get(), F_SETFL, O_NONBLOCK);
  Served served({std::move(in.read), std::move(out.write)},
                20s);  // 4 MB are read behind the end of the input
  const std::size_t accepted = fill(in.write.get(), long_ping());
  std::thread closer([&in] { in.write.reset(); });
  CHECK(lines_in(read_to_end(out.read.get())) == accepted);
  closer.join();
}

TEST_CASE("D21, stdio: a client whose calls do not end is not read above 64 MiB of them") {
  Pipe in = make_pipe();
  Pipe out = make_pipe();
  ::fcntl(in.write.get(), F_SETFL, O_NONBLOCK);
  Served served({std::move(in.read), std::move(out.write)}, 100ms);
  constexpr std::size_t kMebibyte = std::size_t{1} << 20U;
  std::string calls;
  for (int id = 0; id < 80; ++id) {
    calls += R"({"jsonrpc":"2.0","id":)" + std::to_string(id) +
             R"(,"method":"tools/call","params":{"name":"forever"}})" + std::string(kMebibyte, ' ') + "\n";
  }
  const std::size_t taken = pour(in.write.get(), calls, 64 * kMebibyte);
  in.write.reset();
  const std::size_t answers = lines_in(read_to_end(out.read.get()));
  CHECK(taken >= 64 * kMebibyte);
  CHECK(taken < 66 * kMebibyte);  // the call above them, and what a pipe and a read hold
  CHECK(answers >= 64);           // each has its error
}

TEST_CASE("stdio: at the end what was written last is waited for while the client reads") {
  Pipe in = make_pipe();
  Pipe out = make_pipe();
  Served served({std::move(in.read), std::move(out.write)}, 10ms);
  constexpr std::size_t kCalls = 30;
  for (std::size_t id = 0; id < kCalls; ++id) {
    write_all(in.write.get(), R"({"jsonrpc":"2.0","id":")" + std::to_string(id) + std::string(4'000, 'x') +
                                  R"(","method":"tools/call","params":{"name":"forever"}})"
                                  "\n");
  }
  in.write.reset();  // none of them ends: each is refused, with more in all than a pipe holds
  CHECK(lines_in(read_to_end(out.read.get())) == kCalls);
}

TEST_CASE("stdio: above a mebibyte that nobody has read, what may be dropped is refused") {
  asio::io_context io(1);
  Pipe out = make_pipe();
  LineWriter writer(io.get_executor(), std::move(out.write));
  CHECK(writer.send("a", Delivery::may_drop));
  CHECK(writer.send(std::string(LineWriter::kBusyBytes, 'x'), Delivery::must));
  CHECK_FALSE(writer.send("a", Delivery::may_drop));
  CHECK(writer.send("a", Delivery::must));
}

TEST_CASE("stdio: requests from a file wait for a slow reader") {
  std::string name = "/tmp/terminally-transport-XXXXXX";
  const UniqueFd file(::mkstemp(name.data()));
  REQUIRE(file);
  constexpr std::size_t kRequests = 1'500;  // 6 MB
  for (std::size_t i = 0; i < kRequests; ++i) {
    write_all(file.get(), long_ping());
  }
  Pipe out = make_pipe();
  Served served({open_file(name, O_RDONLY), std::move(out.write)});
  std::this_thread::sleep_for(StdioTransport::kAnswersWithin + 200ms);  // our patience with one that hung up
  CHECK(lines_in(read_to_end(out.read.get())) == kRequests);
  ::unlink(name.c_str());
}

TEST_CASE("stdio: a client that hangs up without reading does not hold us") {
  Pipe in = make_pipe();
  Pipe out = make_pipe();
  ::fcntl(in.write.get(), F_SETFL, O_NONBLOCK);
  Served served({std::move(in.read), std::move(out.write)}, 100ms);
  SUBCASE("it closes its input, and keeps its output open unread") {
    fill(in.write.get(), long_ping());
    in.write.reset();
  }
  SUBCASE("it closes its output, and keeps its input open") {
    out.read.reset();
    write_all(in.write.get(), ping(1));
  }
  const auto begin = std::chrono::steady_clock::now();
  served.wait();
  CHECK(std::chrono::steady_clock::now() - begin < 5s);
}
