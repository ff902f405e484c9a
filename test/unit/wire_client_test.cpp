// The channel to a tmux server of another version, and to what is none: who listens is made of paper.
#include <doctest/doctest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/asio.hpp>
#include <string>

#include "event_loop.hpp"
#include "socket_tmux.hpp"
#include "system/unix_peer.hpp"
#include "temp_files.hpp"
#include "tmux/wire/control_channel.hpp"

using namespace terminally;
using test::SocketTmux;
using test::UnderWay;

namespace {

constexpr Milliseconds kPatience{10'000};
constexpr std::uint32_t kSaysVersion = 12;
constexpr std::uint32_t kSaysExit = 203;
constexpr std::uint32_t kSaysShutdown = 210;

/// A channel to the paper server; by a spawned client "spawned" is answered.
struct ToPaper {
  boost::asio::io_context io{1};
  test::TempDir directory{test::in_memory()};
  std::filesystem::path program = directory / "tmux";
  std::shared_ptr<ControlChannel> channel;

  explicit ToPaper(Milliseconds rests = std::chrono::hours(1)) {
    test::append_to(program, "#!/bin/sh\necho spawned\n");
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
    channel = std::make_shared<ControlChannel>(
        io.get_executor(), std::make_shared<SpawnedClient>(program.string(), socket(), "/dev/null"),
        std::make_shared<std::string>("$0"), rests);
  }
  ~ToPaper() { channel->let_go(); }
  ToPaper(const ToPaper&) = delete;
  ToPaper& operator=(const ToPaper&) = delete;

  [[nodiscard]] std::filesystem::path socket() const { return directory / "socket"; }
  std::string ask() { return test::run(io, channel->run("display-message -p x", kPatience)).out; }
};

/// As a server does that takes its client: "wire" is the answer to each question.
void serve(SocketTmux::Client& client) {
  if (client.descriptors.size() < 2) {
    return;
  }
  static constexpr char kAttached[] = "%session-changed $0 terminally\n";
  char text[65'536];
  const ssize_t size = ::recv(client.descriptors.at(0).get(), text, sizeof text, MSG_DONTWAIT);
  const std::string asked(text, size > 0 ? static_cast<std::size_t>(size) : 0);
  if (client.has_introduced_itself() && client.bytes.back() != '!') {
    client.bytes += '!';  // once
    client.print(kAttached);
  }
  for (std::size_t at = asked.find("terminally:"); at != std::string::npos;
       at = asked.find("terminally:", at + 1)) {
    const std::string mark = asked.substr(at, asked.find('\n', at) - at);
    client.print("%begin 1 1 1\nwire\n%end 1 1 1\n%begin 1 2 1\n" + mark + "\n%end 1 2 1\n");
  }
}

bool is_flagged(const SocketTmux::Client& client) {
  return client.bytes.find(std::string("\x10\0\x01\0", 4)) != std::string::npos;
}

}  // namespace

TEST_CASE(
    "channel: a server is spoken to in its form; one of tmux 3.6 refuses the older one without a word") {
  for (const bool is_new : {false, true}) {
    CAPTURE(is_new);
    ToPaper to;
    SocketTmux tmux(to.io, to.socket(), [is_new](SocketTmux::Client& client) {
      if (is_new && is_flagged(client)) {
        client.close();
      } else {
        serve(client);
      }
    });
    if (is_new) {
      CHECK(to.ask() == "spawned\n");
      REQUIRE(tmux.clients().size() == 1);
      CHECK_FALSE(tmux.clients().back()->has_introduced_itself());  // nothing of control mode was said yet
    }
    for (int i = 0; i < 3; ++i) {
      CHECK(to.ask() == "wire\n");
    }
    CHECK(tmux.clients().size() == (is_new ? 2 : 1));
    CHECK(is_flagged(*tmux.clients().back()) != is_new);
    CHECK(tmux.clients().back()->bytes.find("terminally-" + std::to_string(::getpid())) != std::string::npos);
    // Which form it is stays known.
    to.channel->let_go();
    REQUIRE(test::comes_true(to.io, [&] { return tmux.clients().back()->gone; }));
    CHECK(to.ask() == "wire\n");
    CHECK(tmux.clients().size() == (is_new ? 3 : 2));
  }
}

TEST_CASE(
    "channel: with a tmux of another protocol spawned clients do, and it is not asked again and again") {
  ToPaper to;
  SocketTmux tmux(to.io, to.socket(), [](SocketTmux::Client& client) {
    client.say(kSaysVersion, 9);
    client.close();
  });
  for (int i = 0; i < 5; ++i) {
    CHECK(to.ask() == "spawned\n");
    CHECK_FALSE(to.channel->news());
  }
  CHECK(tmux.clients().size() == 1);
}

TEST_CASE("channel: a tmux that has refused us is asked again once it was left alone for a while (V9)") {
  ToPaper to(Milliseconds(0));
  bool refuses = true;
  SocketTmux tmux(to.io, to.socket(), [&refuses](SocketTmux::Client& client) {
    if (refuses) {
      client.say(kSaysVersion, 9);
      client.close();
    } else {
      serve(client);
    }
  });
  CHECK(to.ask() == "spawned\n");
  refuses = false;
  CHECK(to.ask() == "wire\n");
}

TEST_CASE("channel: what answers no form, and what is no tmux, is left alone after that") {
  for (const bool talks : {false, true}) {
    CAPTURE(talks);
    ToPaper to;
    SocketTmux tmux(to.io, to.socket(), [talks](SocketTmux::Client& client) {
      if (talks) {
        static_cast<void>(::send(client.link.get(), "HTTP/1.1 400 Bad Request\r\n\r\n", 28, MSG_NOSIGNAL));
      }
      client.close();
    });
    for (int i = 0; i < 5; ++i) {
      CHECK(to.ask() == "spawned\n");
    }
    CHECK(tmux.clients().size() == (talks ? 1 : 2));
  }
}

TEST_CASE("channel: it goes when tmux says so, which waits for it") {
  for (const std::uint32_t goodbye : {kSaysExit, kSaysShutdown}) {
    CAPTURE(goodbye);
    ToPaper to;
    bool over = false;
    SocketTmux tmux(to.io, to.socket(), [&over, goodbye](SocketTmux::Client& client) {
      serve(client);
      if (std::exchange(over, false)) {
        client.say(goodbye);
      }
    });
    CHECK(to.ask() == "wire\n");
    CHECK(to.channel->news());
    over = true;
    REQUIRE(test::comes_true(to.io, [&] { return tmux.clients().front()->gone; }));
    CHECK_FALSE(to.channel->news());
    CHECK(to.ask() == "wire\n");
    CHECK(tmux.clients().size() == 2);
  }
}

TEST_CASE("channel: what was asked behind its end is asked of the next one") {
  ToPaper to;
  SocketTmux tmux(to.io, to.socket(), serve);
  CHECK(to.ask() == "wire\n");
  tmux.clients().front()->say(kSaysExit);  // it lies there, and nobody has read it
  CHECK(to.ask() == "wire\n");
  CHECK(tmux.clients().size() == 2);
}

TEST_CASE("channel: where another user's process listens, nothing is asked of it") {
  if (::geteuid() != 0) {
    return;  // nobody can be somebody else
  }
  ToPaper to;
  std::filesystem::permissions(to.directory.path(), std::filesystem::perms::all);
  const pid_t other = ::fork();
  if (other == 0) {
    boost::asio::io_context theirs{1};
    boost::asio::local::stream_protocol::acceptor acceptor(theirs);
    acceptor.open();
    acceptor.bind(to.socket().string());
    if (::setuid(65'534) != 0) {
      ::_exit(1);
    }
    acceptor.listen();
    ::pause();
    ::_exit(0);
  }
  REQUIRE(test::comes_true(to.io, [&] { return connect_to(to.socket()).listens; }));
  const test::Failure failure = test::failure_of(to.io, to.channel->run("display-message -p x", kPatience));
  ::kill(other, SIGKILL);
  ::waitpid(other, nullptr, 0);
  CHECK(failure.code == ErrorCode::io);
  CHECK(failure.says("is of user id 65534, and not of yours, 0"));
}

TEST_CASE("channel: a spawned client that answers in its place has the time that is left of the call (V7)") {
  constexpr Milliseconds kHoldsBack{20};
  struct Spawned : SpawnedClient {
    using SpawnedClient::SpawnedClient;
    Milliseconds had{0};
    Awaitable<TmuxAnswer> run(std::string /*commands*/, Milliseconds deadline) override {
      had = deadline;
      TmuxAnswer answer;
      answer.out = "spawned\n";
      co_return answer;
    }
  };
  ToPaper to;
  std::optional<Clock::time_point> came;
  SocketTmux tmux(to.io, to.socket(), [&came, kHoldsBack](SocketTmux::Client& client) {
    came = came.value_or(Clock::now());
    if (Clock::now() >= *came + kHoldsBack) {
      client.close();
    }
  });
  const auto spawned = std::make_shared<Spawned>("tmux", to.socket(), "/dev/null");
  ControlChannel channel(to.io.get_executor(), spawned, std::make_shared<std::string>("$0"));
  CHECK(test::run(to.io, channel.run("display-message -p x", kPatience)).out == "spawned\n");
  REQUIRE(came);
  CHECK(spawned->had <= kPatience - kHoldsBack);
  CHECK(spawned->had > Milliseconds(0));
  channel.let_go();
}
