// A server with a site of the test, and clients that say every byte by themselves.
#include "http/server.hpp"

#include <doctest/doctest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <boost/asio.hpp>
#include <cerrno>
#include <deque>
#include <memory>
#include <string>
#include <utility>

#include "base/background.hpp"
#include "base/descriptors.hpp"
#include "base/error.hpp"
#include "base/event.hpp"
#include "event_loop.hpp"

using namespace terminally;
using test::comes_true;
namespace asio = boost::asio;

namespace {

constexpr std::size_t kFrame = 64'000;

/// Streams, throws and echoes as its path says.
class SiteOfTest : public Site {
 public:
  Awaitable<Response> answer(Request request) override {
    Response response;
    response.content_type = "text/plain";
    if (request.path == "/api/busy") {
      throw Error(ErrorCode::busy, "it runs \"x\"");
    }
    if (request.path == "/api/stream") {
      const auto number = std::make_shared<int>(0);
      response.source = [this, of = request.query["of"], number] { return next_piece(of, ++*number); };
      if (request.query.contains("length")) {
        response.length = std::stoull(request.query["length"]);
      }
    } else {
      response.body = request.method + " " + request.path + " " + request.body;
    }
    co_return response;
  }

  Awaitable<void> live(Socket& socket, std::map<std::string, std::string> query) override {
    ++pages;
    if (query.contains("flood")) {
      co_await flood(socket);
    } else if (query.contains("fail")) {
      --pages;
      throw Error(ErrorCode::not_found, "no such instance");
    } else if (query.contains("deaf")) {
      co_await never.wait();
    }
    for (;;) {
      auto message = co_await socket.receive();
      if (!message) {
        break;
      }
      co_await socket.send_text(std::move(*message));
    }
    said_goodbye = said_goodbye || socket.server_ends();
    co_await socket.send_text("bye");
    --pages;
  }

  Awaitable<void> flood(Socket& socket) {
    for (;;) {
      std::string frame(kFrame, static_cast<char>('a' + flooded % 26));
      const bool there = co_await socket.send_binary(std::move(frame));
      if (!there) {
        break;
      }
      ++flooded;
    }
  }

  Awaitable<std::string> next_piece(std::string of, int number) {
    ++pieces;
    if (of == "failing" && number == 3) {
      throw Error(ErrorCode::io, "the disk");
    }
    if (of == "short" && number == 4) {
      co_return "";
    }
    co_return std::string(of == "endless" ? kFrame : 5, 'x');
  }

  int pages = 0;
  int flooded = 0;
  int pieces = 0;
  bool said_goodbye = false;
  Event never;
};

/// One connection of a client.
class Client {
 public:
  Client(asio::io_context& io, std::uint16_t port)
      : io_(io), fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    REQUIRE(::connect(fd_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  }

  void say(const std::string& bytes) {
    REQUIRE(::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
            static_cast<ssize_t>(bytes.size()));
  }
  /// One byte more, where anybody takes it.
  void drip() { static_cast<void>(::send(fd_.get(), "x", 1, MSG_NOSIGNAL)); }
  void say_frame(const std::string& data, int opcode = 1) {
    REQUIRE(data.size() < 126);
    say(std::string{static_cast<char>(0x80 | opcode),
                    static_cast<char>(0x80 | static_cast<int>(data.size()))} +
        std::string(4, '\0') + data);
  }

  /// Reads what is there.
  void look() {
    std::array<char, 65'536> piece{};
    for (;;) {
      const ssize_t size = ::recv(fd_.get(), piece.data(), piece.size(), MSG_DONTWAIT);
      if (size <= 0) {
        closed = closed || size == 0 || errno == ECONNRESET;
        return;
      }
      text.append(piece.data(), static_cast<std::size_t>(size));
    }
  }
  bool hears(const std::string& part) {
    return comes_true(io_, [&] {
      look();
      return text.find(part) != std::string::npos;
    });
  }
  bool hears_the_end() {
    return comes_true(io_, [&] {
      look();
      return closed;
    });
  }
  void leave() { fd_.reset(); }

  std::string text;
  bool closed = false;

 private:
  asio::io_context& io_;
  UniqueFd fd_;
};

struct ServerScene {
  explicit ServerScene(Milliseconds body_within = HttpServer::kBodyWithin) {
    place.port = 0;
    server = std::make_unique<HttpServer>(io.get_executor(), place, site, std::span<const WebFile>(), nullptr,
                                          body_within);
    host = "127.0.0.1:" + std::to_string(server->place().port);
    serving = std::make_unique<Background>(io.get_executor(), server->run());
    Client browser = client();
    const std::string link = server->make_link(Role::exec);
    const std::string body = "{\"code\":\"" + link.substr(link.find('#') + 1) + "\"}";
    browser.say("POST /enter HTTP/1.1\r\nHost: " + host + "\r\nOrigin: http://" + host +
                "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
    REQUIRE(browser.hears("\"exec\""));
    const auto at = browser.text.find("terminally-");
    cookie = browser.text.substr(at, browser.text.find(';', at) - at);
  }

  Client client() { return Client(io, server->place().port); }
  std::string request(const std::string& target, const std::string& method = "GET") const {
    return method + " " + target + " HTTP/1.1\r\nHost: " + host + "\r\nOrigin: http://" + host +
           "\r\nCookie: " + cookie + "\r\n";
  }
  Client ask(const std::string& target) {
    Client one = client();
    one.say(request(target) + "\r\n");
    return one;
  }
  Client page(const std::string& target) {
    Client one = client();
    one.say(request(target) +
            "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
            "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Protocol: terminally.1\r\n\r\n");
    return one;
  }

  asio::io_context io{1};
  SiteOfTest site;
  ListenPlace place;
  std::unique_ptr<HttpServer> server;
  std::unique_ptr<Background> serving;
  std::string host;
  std::string cookie;
};

}  // namespace

TEST_CASE("http server: the site's answers") {
  ServerScene scene;
  CHECK(scene.ask("/api/a%20b?c=d").hears("GET /api/a b "));
  CHECK(scene.ask("/api/busy").hears("409 Conflict"));
  CHECK(scene.ask("/api/busy").hears(R"({"error":{"code":"busy","message":"it runs \"x\""}})"));
  Client post = scene.client();
  post.say(scene.request("/api/x", "POST") + "Content-Length: 4\r\n\r\nbody");
  CHECK(post.hears("POST /api/x body"));
  Client chunked = scene.client();
  chunked.say(scene.request("/api/x", "POST") + "Transfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n0\r\n\r\n");
  CHECK(chunked.hears("POST /api/x body"));
  CHECK(scene.ask("/").hears("without Node.js"));
}

TEST_CASE("http server: a body that comes byte by byte has so long, and is cut") {
  CHECK(HttpServer::kBodyWithin == Milliseconds(30'000));
  ServerScene scene(Milliseconds(200));
  Client slow = scene.client();
  slow.say(scene.request("/api/x", "POST") + "Content-Length: 1000000\r\n\r\n");
  auto next = Clock::now();
  CHECK(comes_true(scene.io, [&] {
    if (Clock::now() >= next) {
      slow.drip();
      next = Clock::now() + Milliseconds(20);
    }
    slow.look();
    return slow.closed;
  }));
  CHECK(slow.text.find("200 OK") == std::string::npos);
  CHECK(scene.ask("/api/x").hears("GET /api/x "));
}

TEST_CASE("http server: a body in pieces") {
  ServerScene scene;
  Client whole = scene.ask("/api/stream?of=short");
  CHECK(whole.hears("5\r\nxxxxx\r\n5\r\nxxxxx\r\n5\r\nxxxxx\r\n0\r\n\r\n"));
  Client sized = scene.ask("/api/stream?of=short&length=15");
  CHECK(sized.hears("Content-Length: 15\r\n"));
  CHECK(sized.hears("\r\n\r\nxxxxxxxxxxxxxxx"));
  CHECK_FALSE(sized.closed);
  Client failing = scene.ask("/api/stream?of=failing");
  CHECK(failing.hears_the_end());
  CHECK(failing.text.find("5\r\nxxxxx\r\n5\r\nxxxxx\r\n") != std::string::npos);
  CHECK(failing.text.find("0\r\n\r\n") == std::string::npos);
}

TEST_CASE("http server: a peer that does not read costs a few pieces, and one that leaves none more (R20)") {
  ServerScene scene;
  Client slow = scene.ask("/api/stream?of=endless");
  CHECK(comes_true(scene.io, [&] { return scene.site.pieces > 1; }));
  int before = 0;
  CHECK(comes_true(scene.io, [&] {
    const bool rests = before == scene.site.pieces;
    before = scene.site.pieces;
    scene.io.run_for(Milliseconds(50));
    return rests && before == scene.site.pieces;
  }));
  CHECK(before < 200);  // what the sockets hold
  slow.leave();
  scene.io.run_for(Milliseconds(50));
  const int then = scene.site.pieces;
  scene.io.run_for(Milliseconds(50));
  CHECK(scene.site.pieces == then);
}

TEST_CASE("http server: a page's socket") {
  ServerScene scene;
  Client page = scene.page("/live");
  CHECK(page.hears("Sec-WebSocket-Protocol: terminally.1\r\n"));
  page.say_frame("hello");
  CHECK(page.hears("\x81\x05hello"));
  page.say_frame("there?", 9);
  CHECK(page.hears("\x8a\x06there?"));
  page.say_frame("\x03\xe8", 8);
  CHECK(page.hears_the_end());
  CHECK(comes_true(scene.io, [&] { return scene.site.pages == 0; }));
  CHECK_FALSE(scene.site.said_goodbye);
  Client failing = scene.page("/live?fail");
  CHECK(failing.hears("no such instance"));
  CHECK(failing.hears_the_end());
  Client binary = scene.page("/live");
  CHECK(binary.hears("\r\n\r\n"));
  binary.say_frame("x", 2);
  CHECK(binary.hears("\x03\xebonly text is understood"));
  CHECK(binary.hears_the_end());
}

TEST_CASE("http server: a page that does not read is waited for, and gets all in order (R20)") {
  ServerScene scene;
  Client page = scene.page("/live?flood");
  CHECK(comes_true(scene.io, [&] { return scene.site.flooded > 3; }));
  int before = 0;
  CHECK(comes_true(scene.io, [&] {
    before = scene.site.flooded;
    scene.io.run_for(Milliseconds(50));
    return before == scene.site.flooded;
  }));
  CHECK(before < 200);
  const auto wanted = static_cast<std::size_t>(before) * kFrame;
  CHECK(comes_true(scene.io, [&] {
    page.look();
    return page.text.size() > 2 * wanted;
  }));
  std::size_t at = page.text.find("\r\n\r\n") + 4;
  for (int frame = 0; frame < before; ++frame) {
    const std::string expected =
        std::string("\x82\x7e\xfa\x00", 4) + std::string(kFrame, static_cast<char>('a' + frame % 26));
    REQUIRE(page.text.compare(at, expected.size(), expected) == 0);
    at += expected.size();
  }
  page.leave();
  CHECK(comes_true(scene.io, [&] { return scene.site.pages == 0; }));
}

TEST_CASE("http server: the end tells the pages, and waits for nobody who is deaf") {
  ServerScene scene;
  Client page = scene.page("/live");
  Client deaf = scene.page("/live?deaf");
  Client idle = scene.client();
  CHECK(comes_true(scene.io, [&] { return scene.site.pages == 2; }));
  scene.serving.reset();
  const auto begin = Clock::now();
  test::UnderWay<void> end(scene.io, scene.server->end(begin + Milliseconds(5'000)));
  CHECK(comes_true(scene.io, [&] { return end.is_done(); }));
  CHECK(Clock::now() - begin < Milliseconds(4'000));
  CHECK(scene.site.said_goodbye);
  CHECK(page.hears("bye"));
  CHECK(page.hears_the_end());
  CHECK(deaf.hears_the_end());
  CHECK(idle.hears_the_end());
}
