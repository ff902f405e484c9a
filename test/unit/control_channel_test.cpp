// The channel to a real tmux server.
#include "tmux/wire/control_channel.hpp"

#include <doctest/doctest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio.hpp>
#include <list>
#include <optional>
#include <random>
#include <sstream>
#include <string>
#include <utility>

#include "base/process.hpp"
#include "event_loop.hpp"
#include "programs.hpp"
#include "system/proc.hpp"
#include "temp_files.hpp"
#include "tmux/wire/channel_session.hpp"
#include "tmux/wire/client.hpp"
#include "tmux/wire/others_typed.hpp"
#include "tmux/wire/quoting.hpp"
#include "tmux/wire/rows.hpp"

using namespace terminally;
using test::UnderWay;

namespace {

constexpr Milliseconds kDeadline{10'000};

struct RealTmux {
  boost::asio::io_context io{1};
  test::TempDir directory{test::in_memory()};
  std::shared_ptr<SpawnedClient> spawned =
      std::make_shared<SpawnedClient>("tmux", directory / "socket", "/dev/null");
  std::shared_ptr<std::string> session = std::make_shared<std::string>();
  std::optional<ControlChannel> channel;
  const std::string channel_name = kChannelName + std::to_string(::getpid());

  RealTmux() {
    channel.emplace(io.get_executor(), spawned, session);
    start();
  }
  ~RealTmux() { static_cast<void>(by_spawned("kill-server")); }
  RealTmux(const RealTmux&) = delete;
  RealTmux& operator=(const RealTmux&) = delete;

  void start() {
    *session = line(test::run(io, channel->start("new-session -d -P -F '#{session_id}' 'sleep 1000'",
                                                 {"PATH=/usr/bin:/bin"}, kDeadline)));
    REQUIRE(session->starts_with('$'));
  }
  TmuxAnswer ask(std::string commands, Milliseconds deadline = kDeadline) {
    return test::run(io, channel->run(std::move(commands), deadline));
  }
  TmuxAnswer by_spawned(std::string commands) {
    return test::run(io, spawned->run(std::move(commands), kDeadline));
  }
  static std::string line(const TmuxAnswer& answer) {
    CHECK(answer.error == "");
    return answer.out.substr(0, answer.out.find('\n'));
  }
  /// How many clients are kept, by the name that tmux has for ours.
  int kept() {
    int clients = 0;
    std::istringstream lines(by_spawned("list-clients -F '#{client_name}'").out);
    for (std::string name; std::getline(lines, name);) {
      clients += name == channel_name ? 1 : 0;
    }
    return clients;
  }
  void connect() {
    CHECK(line(ask("display-message -p first")) == "first");
    REQUIRE(kept() == 1);
  }
  /// As a person may do it. tmux answers them before it tells us, and what we ask in between is lost with the
  /// connection: so that we know is waited for.
  void end_channel(const std::string& how) {
    CHECK(by_spawned(how).error == "");
    REQUIRE(test::comes_true(io, [&] { return !channel->news() && kept() == 0; }));
  }
  void detach() { end_channel("detach-client -t " + quote(channel_name)); }
  int server() { return std::stoi(line(by_spawned("display-message -p '#{pid}'"))); }
};

}  // namespace

TEST_CASE("channel: one client answers all, and each its own") {
  RealTmux tmux;
  CHECK(tmux.kept() == 0);
  tmux.connect();
  std::list<UnderWay<TmuxAnswer>> all;
  for (int i = 0; i < 200; ++i) {
    const std::string commands =
        i % 5 == 0 ? "kill-pane -t %" + std::to_string(1'000 + i) : "display-message -p " + std::to_string(i);
    all.emplace_back(tmux.io, tmux.channel->run(commands, kDeadline));
  }
  int i = 0;
  for (auto& one : all) {
    const TmuxAnswer answer = one.result();
    if (i % 5 == 0) {
      CHECK(answer.error == "can't find pane: %" + std::to_string(1'000 + i));
    } else {
      CHECK(answer.out == std::to_string(i) + "\n");
    }
    ++i;
  }
  CHECK(tmux.kept() == 1);
}

TEST_CASE("channel: it answers as a spawned client does") {
  RealTmux tmux;
  for (const std::string commands :
       {"display-message -p a ; display-message -p b", "display-message -p a ; nosuch", "kill-pane -t %99",
        "display-message -p a\nkill-pane -t %99\ndisplay-message -p c", "nosuch -x", "display-message -p ''",
        "list-panes -a -F '#{pane_id}\t#{window_name}'", "capture-pane -p -t %0",
        "capture-pane -p -t %0 -E 3", "%if 1 display-message -p yes %else display-message -p no %endif",
        "%if 0 display-message -p yes %else display-message -p no %endif", "set -g @x \"y\"",
        "if-shell -F 1 'display-message -p in' ; display-message -p after", "show-buffer -b none"}) {
    CAPTURE(commands);
    const TmuxAnswer kept = tmux.ask(commands);
    const TmuxAnswer once = tmux.by_spawned(commands);
    CHECK(kept.out == once.out);
    CHECK(kept.error.empty() == once.error.empty());
    CHECK_FALSE(kept.timed_out);
  }
}

TEST_CASE("channel: any bytes arrive in tmux as they were") {
  RealTmux tmux;
  std::mt19937 random(12);
  const auto file = tmux.directory / "saved";
  for (const std::size_t size : {1U, 2U, 255U, 3'000U, 1'000'000U}) {
    std::string bytes(size, '\0');
    for (char& byte : bytes) {
      byte = static_cast<char>(1 + random() % 255);
    }
    const TmuxAnswer answer =
        tmux.ask("set-buffer -b any -- " + quote(bytes) + " ; save-buffer -b any " + quote(file.string()));
    CHECK(answer.error == "");
    CHECK(test::content_of(file) == bytes);
  }
}

TEST_CASE("channel: where it is lost what was asked is told so, and the next call has another") {
  RealTmux tmux;
  tmux.connect();
  for (const std::string& how :
       {"detach-client -t " + quote(tmux.channel_name), std::string("kill-session -t =terminally")}) {
    CAPTURE(how);
    tmux.end_channel(how);
    CHECK(RealTmux::line(tmux.ask("display-message -p again")) == "again");
    CHECK(tmux.kept() == 1);
  }
  const int server = tmux.server();
  ::kill(server, SIGSTOP);
  UnderWay<TmuxAnswer> under_way(tmux.io, tmux.channel->run("display-message -p x", kDeadline));
  tmux.io.poll();
  ::kill(server, SIGKILL);
  const TmuxAnswer answer = under_way.result();
  CHECK(answer.lost);
  CHECK(answer.error.find("not known") != std::string::npos);
}

TEST_CASE("channel: a stopped server is given up at the deadline, and its late answers are nobody's") {
  RealTmux tmux;
  tmux.connect();
  const int server = tmux.server();
  for (int round = 0; round < 3; ++round) {
    ::kill(server, SIGSTOP);
    const auto begin = Clock::now();
    CHECK(tmux.ask("display-message -p late", Milliseconds(50)).timed_out);
    CHECK(Clock::now() - begin >= Milliseconds(50));
    UnderWay<TmuxAnswer> cancelled(tmux.io, tmux.channel->run("display-message -p never", kDeadline));
    tmux.io.poll();
    cancelled.cancel();
    CHECK_THROWS(cancelled.result());
    UnderWay<TmuxAnswer> in_time(tmux.io, tmux.channel->run("display-message -p mine", kDeadline));
    tmux.io.poll();
    ::kill(server, SIGCONT);
    CHECK(RealTmux::line(in_time.result()) == "mine");
  }
  CHECK(tmux.kept() == 1);
}

TEST_CASE("channel: one that comes while tmux is stopped answers once tmux goes on") {
  RealTmux tmux;
  tmux.connect();
  const int server = tmux.server();
  ::kill(server, SIGSTOP);
  tmux.channel->let_go();
  CHECK(tmux.ask("set -g @given_up yes", Milliseconds(50)).timed_out);
  ::kill(server, SIGCONT);
  CHECK(RealTmux::line(tmux.ask("display-message -p 'again #{@given_up}'")) == "again ");
  CHECK(RealTmux::line(tmux.ask("display-message -p more")) == "more");
}

TEST_CASE("channel: what was given up before it could be sent is not done later") {
  RealTmux tmux;
  tmux.ask("display-message -p first");
  const int server = tmux.server();
  ::kill(server, SIGSTOP);
  CHECK(tmux.ask("set-buffer -b fills " + quote(std::string(1'000'000, 'x')), Milliseconds(50)).timed_out);
  CHECK(tmux.ask("set -g @given_up yes", Milliseconds(50)).timed_out);
  ::kill(server, SIGCONT);
  CHECK(RealTmux::line(tmux.ask("display-message -p 'then #{@given_up}'")) == "then ");
}

TEST_CASE("channel: letting go breaks off nothing that is under way") {
  RealTmux tmux;
  tmux.connect();
  UnderWay<TmuxAnswer> one(tmux.io, tmux.channel->run("display-message -p one", kDeadline));
  tmux.io.poll();
  tmux.channel->let_go();
  CHECK(RealTmux::line(one.result()) == "one");
  CHECK(test::comes_true(tmux.io, [&] { return tmux.kept() == 0; }));
  CHECK(RealTmux::line(tmux.ask("display-message -p two")) == "two");
}

TEST_CASE("channel: a server that is gone is told as by a spawned client, and the next one is reached") {
  RealTmux tmux;
  tmux.ask("display-message -p first");
  const int before = tmux.server();
  ::kill(before, SIGKILL);
  REQUIRE(test::comes_true(tmux.io, [&] { return !is_alive(before); }));
  const TmuxAnswer answer = tmux.ask("display-message -p x");
  CHECK_FALSE(answer.error.empty());
  CHECK_FALSE(answer.timed_out);
  tmux.start();
  CHECK(std::stoi(RealTmux::line(tmux.ask("display-message -p '#{pid}'"))) == tmux.server());
  CHECK(tmux.server() != before);
  CHECK(tmux.kept() == 1);
}

TEST_CASE("channel: while no session of tabs is known, spawned clients do") {
  RealTmux tmux;
  const std::string session = std::exchange(*tmux.session, "");
  for (int i = 0; i < 3; ++i) {
    CHECK(RealTmux::line(tmux.ask("display-message -p asked")) == "asked");
    CHECK(tmux.kept() == 0);
  }
  *tmux.session = session;
  tmux.connect();
}

TEST_CASE(
    "channel: it starts no server, outlives the session of the tabs, and holds no server that is to end") {
  RealTmux tmux;
  tmux.ask("set -s exit-empty off");
  CHECK(tmux.kept() == 1);
  CHECK(tmux.by_spawned("kill-session -t " + quote(*tmux.session)).error == "");
  CHECK(RealTmux::line(tmux.ask("display-message -p '#{S:#{session_name},#{session_attached}}'")) ==
        "terminally,1");
  CHECK(tmux.kept() == 1);
  const int server = tmux.server();
  tmux.by_spawned("kill-server");
  REQUIRE(test::comes_true(tmux.io, [&] { return !is_alive(server); }));
  CHECK_FALSE(tmux.ask("display-message -p x").error.empty());
  CHECK_FALSE(tmux.by_spawned("display-message -p x").error.empty());
}

TEST_CASE("channel: its session is its own, and the tabs' is as if nobody were there (C13)") {
  RealTmux tmux;
  const auto of_tabs = [&](const std::string& format) {
    return RealTmux::line(tmux.by_spawned("display-message -p -t %0 " + quote(format)));
  };
  const std::string then = of_tabs("#{session_activity}");
  REQUIRE(test::comes_true(tmux.io, [&] { return std::to_string(::time(nullptr)) > then; }));
  for (int i = 0; i < 3; ++i) {
    tmux.connect();
    CHECK(of_tabs("#{session_attached} #{session_activity}") == "0 " + then);
    CHECK(tmux.by_spawned("list-panes -a -F '#{session_name} #{pane_id}'").out == "0 %0\nterminally %1\n");
    tmux.detach();
  }
  REQUIRE(test::comes_true(tmux.io, [&] {
    return RealTmux::line(tmux.by_spawned("display-message -p -t %1 '#{pane_dead}'")) == "1";
  }));
}

TEST_CASE("channel: it is nobody's visit, and comes without a key of anybody") {
  RealTmux tmux;
  REQUIRE(tmux.by_spawned("set -g @terminally_now '%s'\n" + touch_hooks() + set_untouched("-t %0") + "\n")
              .error == "");
  const auto of_pane = [&](const std::string& format) {
    return RealTmux::line(tmux.by_spawned("display-message -p -t %0 " + quote(format)));
  };
  const auto comes_anew = [&] {
    tmux.channel->let_go();
    REQUIRE(test::comes_true(tmux.io, [&] { return tmux.kept() == 0; }));
    tmux.connect();
  };
  comes_anew();
  CHECK(of_pane("#{@terminally_visits}") == "0");
  CHECK(of_pane(others_typed()) == "0");
  CHECK(of_pane(is_typed_into()) == "0");

  // What holds for a second or two is noted by tmux in the moment itself: we may be slow to ask.
  REQUIRE(tmux.by_spawned("set-hook -g client-attached[9] " +
                          quote("set -gF @then " + quote(is_typed_into())) + "\n")
              .error == "");
  Argv attach = tmux.spawned->argv({"attach-session", "-t", *tmux.session});
  attach.insert(attach.begin(), "/usr/bin/env");
  std::optional<test::TerminalProgram> person(
      std::in_place, attach, std::vector<std::string>{"PATH=/usr/bin:/bin", "TERM=xterm"}, "/");
  REQUIRE(test::comes_true(tmux.io, [&] { return of_pane("#{@terminally_visits}#{@then}") == "21"; }));
  REQUIRE(tmux.by_spawned("set-hook -gu client-attached[9]").error == "");
  CHECK(of_pane(others_typed()) == "1");
  // Neither says anything of the seconds after it.
  REQUIRE(test::comes_true(tmux.io, [&] { return of_pane(is_typed_into()) == "0"; }));
  comes_anew();
  CHECK(of_pane(is_typed_into()) == "0");
  CHECK(of_pane("#{@terminally_visits}") == "2");
  person.reset();
  REQUIRE(test::comes_true(tmux.io, [&] { return of_pane("#{session_attached}") == "0"; }));
  REQUIRE(tmux.by_spawned(set_untouched("-t %0")).error == "");
  comes_anew();
  CHECK(of_pane(others_typed()) == "0");
}

namespace {

/// `untold`: what it was, then.
bool no_news(RealTmux& tmux, const TmuxClient& client, std::uint64_t then,
             const std::string& active = "@0:") {
  return test::run(tmux.io, client.has_no_news_since(then, "$0", active));
}

}  // namespace

TEST_CASE("channel: that two windows were swapped, which tmux tells nobody, is seen by the active one") {
  RealTmux tmux;
  const TmuxClient client(std::shared_ptr<TmuxChannel>(&*tmux.channel, [](TmuxChannel*) {}), kDeadline);
  tmux.connect();                           // @1 is the channels'
  tmux.ask("set -g automatic-rename off");  // news of tmux's own, half a second later
  tmux.ask("new-window -d -t " + quote(*tmux.session + ":") + " 'sleep 1000'");
  const auto before = client.news();
  REQUIRE(before);
  CHECK(no_news(tmux, client, *before));
  CHECK_FALSE(no_news(tmux, client, *before, "@2:"));
  REQUIRE(RealTmux::line(tmux.by_spawned("swap-window -s @0 -t @2")).empty());
  CHECK_FALSE(no_news(tmux, client, *before));
  REQUIRE(client.news() == before);  // else it need not be asked for
  CHECK(no_news(tmux, client, *before, "@2:"));
}

TEST_CASE("channel: what another client changed is told of before what is asked behind it is answered") {
  RealTmux tmux;
  const TmuxClient client(std::shared_ptr<TmuxChannel>(&*tmux.channel, [](TmuxChannel*) {}), kDeadline);
  CHECK_FALSE(client.news());  // nobody listens
  int told = 0;
  client.on_news([&told] { ++told; });
  tmux.connect();
  tmux.ask("set -g automatic-rename off");  // news of tmux's own, half a second later
  // What each leaves to be found by the next one: windows @0 and @2 (@1 is the channels').
  REQUIRE(tmux.ask(count_layouts()).error == "");
  const std::vector<std::string> changes = {
      "new-window -d -t '$0:' 'sleep 1000'",
      "rename-window -t @2 other",
      "select-window -t @2",
      "split-window -d -t @2 'sleep 1000'",
      "resize-window -t @2 -x 50 -y 20",
      "swap-pane -s @0.0 -t @2.0",
      "kill-pane -t @2.1",
      "new-session -d -s two 'sleep 1000'",
      "move-window -s @2 -t two:",
      "rename-session -t two three",
      "kill-window -t @2",
      "kill-session -t three",
  };
  for (const std::string& change : changes) {
    for (int again = 0; again < 20; ++again) {
      CAPTURE(change);
      const auto before = client.news();
      REQUIRE(before);
      const std::string active = RealTmux::line(tmux.ask("display-message -p -t '$0:' " + quote(kUntold)));
      CHECK(no_news(tmux, client, *before, active));
      if (again == 19) {
        const int told_before = told;
        REQUIRE(RealTmux::line(tmux.by_spawned(change)).empty());
        CHECK_FALSE(no_news(tmux, client, *before, active));
        CHECK((told > told_before) == (client.news() != before));
      }
    }
  }
  client.on_news(nullptr);
}

TEST_CASE("channel: what we type, and who looks on or leaves, is no news") {
  RealTmux tmux;
  const TmuxClient client(std::shared_ptr<TmuxChannel>(&*tmux.channel, [](TmuxChannel*) {}), kDeadline);
  tmux.ask("set -g automatic-rename off");  // news of tmux's own, half a second later
  tmux.ask(touch_hooks() + "set -g @terminally_now \"%s\"");
  tmux.connect();
  const auto before = client.news();
  REQUIRE(before);
  for (int i = 0; i < 10; ++i) {
    RealTmux::line(tmux.ask(type_bytes("%0", "some text", "", TypedAs::line)));
    RealTmux::line(tmux.ask("capture-pane -p -t %0"));
    CHECK(no_news(tmux, client, *before));
  }
}

TEST_CASE("channel: nobody knows what a connection that was lost was not told") {
  RealTmux tmux;
  const TmuxClient client(std::shared_ptr<TmuxChannel>(&*tmux.channel, [](TmuxChannel*) {}), kDeadline);
  tmux.connect();
  const auto before = client.news();
  REQUIRE(before);
  int told = 0;
  client.on_news([&told] { ++told; });
  tmux.detach();
  CHECK_FALSE(no_news(tmux, client, *before));
  REQUIRE(test::comes_true(tmux.io, [&told] { return told == 1; }));
  tmux.connect();
  REQUIRE(client.news());
  CHECK(client.news() != before);
  client.on_news(nullptr);
}

TEST_CASE(
    "channel: for a server that reads nothing a bounded amount waits, and what is sent counts no more (V3)") {
  RealTmux tmux;
  tmux.connect();
  const int server = tmux.server();
  const std::string megabyte = "set-buffer -b fills " + quote(std::string(1'000'000, 'x'));
  for (int round = 0; round < 2; ++round) {
    ::kill(server, SIGSTOP);
    std::list<UnderWay<TmuxAnswer>> all;
    for (int i = 0; i < 19; ++i) {
      all.emplace_back(tmux.io, tmux.channel->run(megabyte, kDeadline));
      tmux.io.poll();
    }
    UnderWay<TmuxAnswer> refused(tmux.io, tmux.channel->run("set -g @too_much yes", kDeadline));
    tmux.io.poll();
    for (auto& one : all) {
      one.cancel();
    }
    all.clear();
    ::kill(server, SIGCONT);
    REQUIRE(test::comes_true(tmux.io, [&] {  // once what was given up is passed over
      return tmux.ask("display-message -p again", Milliseconds(500)).out == "again\n";
    }));
    CHECK(RealTmux::line(tmux.ask("display-message -p 'then #{@too_much}'")) == "then ");
    refused.cancel();
  }
}
