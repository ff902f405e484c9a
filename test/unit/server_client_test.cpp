// What a TmuxClient makes of a channel's answers, and what it sends there.
#include "tmux/wire/client.hpp"

#include <doctest/doctest.h>

#include <boost/asio.hpp>
#include <string>
#include <vector>

#include "manager_scene.hpp"
#include "scripted_tmux.hpp"
#include "tmux/wire/command_mark.hpp"
#include "tmux/wire/others_typed.hpp"
#include "tmux/wire/tmux_terminal.hpp"

namespace terminally {
namespace {

using test::Failure;
using test::ScriptedTmux;

constexpr Milliseconds kDeadline{4'000};

struct Asking {
  boost::asio::io_context io{1};
  std::shared_ptr<ScriptedTmux> tmux = std::make_shared<ScriptedTmux>();
  TmuxClient client{tmux, kDeadline};

  std::string query(const std::string& commands) { return test::run(io, client.query(commands)); }
  std::string change(const std::string& commands) { return test::run(io, client.change(commands)); }
  Failure refusal(const TmuxClient& of, const std::string& commands) {
    return test::failure_of(io, of.query(commands));
  }
};

}  // namespace

TEST_CASE("tmux client: what only asks is sent as it is, what changes something is guarded by its deadline") {
  Asking asking;
  asking.tmux->print("display", "an answer\n");
  CHECK(asking.query("display-message -p x") == "an answer\n");
  CHECK_FALSE(asking.tmux->last().in_time);
  CHECK(asking.tmux->last().deadline == kDeadline);
  const auto asked_at = wall_clock_ms() / 1'000;
  CHECK(asking.change("display-message -p y") == "an answer\n");
  CHECK(asking.tmux->last().in_time);
  CHECK(asking.tmux->last().commands == "display-message -p y");
  CHECK(asking.tmux->last().by >= asked_at + kDeadline / Milliseconds(1'000));
  CHECK(asking.tmux->last().by <= wall_clock_ms() / 1'000 + kDeadline / Milliseconds(1'000));
  CHECK(asking.tmux->asked.size() == 2);
}

TEST_CASE("tmux client: commands that came too late ran nothing; they are sent again while there is time") {
  for (const int jumps : {1, 2}) {
    CAPTURE(jumps);
    Asking asking;
    asking.tmux->print("kill", "done\n");
    asking.tmux->clock_jumps = jumps;
    CHECK(asking.change("kill-window") == "done\n");
    CHECK(asking.tmux->asked.size() == static_cast<std::size_t>(jumps) + 1);
  }
  Asking asking;
  asking.tmux->clock_jumps = 3;
  const Failure failure = test::failure_of(asking.io, asking.client.change("kill-window"));
  CHECK(failure.code == ErrorCode::tmux_timeout);
  CHECK(failure.says("nothing was done"));
  CHECK(asking.tmux->asked.size() == 3);
  CHECK(asking.tmux->times_asked("kill-window") == 0);  // none of the three lists got that far
}

TEST_CASE(
    "tmux client: what was not answered in time was not done, or may have been where it changes something") {
  Asking asking;
  asking.tmux->become("", ScriptedTmux::Fate::lost);
  const TmuxClient hasty = asking.client.with_deadline(Milliseconds(5));
  const auto refused = [&](boost::asio::awaitable<std::string> asked) {
    const Failure failure = test::failure_of(asking.io, std::move(asked));
    CHECK(failure.code == ErrorCode::tmux_timeout);
    return failure;
  };
  CHECK(refused(hasty.query("list-panes")).says("nothing was done"));
  CHECK(refused(hasty.change("kill-window")).says("unless tmux was stopped while it was at it"));
  CHECK(refused(hasty.start("new-session", {})).says("unless tmux was stopped while it was at it"));
}

TEST_CASE("tmux client: what tmux says went wrong, and whether its target is gone") {
  struct Said {
    std::string error;
    ErrorCode code;
  };
  for (const Said& said : std::vector<Said>{{"can't find window: @7", ErrorCode::not_found},
                                            {"can't find pane: %7", ErrorCode::not_found},
                                            {"no such pane: %7", ErrorCode::not_found},
                                            {"no current target", ErrorCode::not_found},
                                            {"no current target now", ErrorCode::tmux_failed},
                                            {"duplicate session: tabs", ErrorCode::tmux_failed},
                                            {"server exited unexpectedly", ErrorCode::tmux_failed},
                                            {"we can't find it", ErrorCode::tmux_failed}}) {
    CAPTURE(said.error);
    Asking asking;
    asking.tmux->fail("rename", said.error);
    const Failure failure = asking.refusal(asking.client, "rename-window -t @7 x");
    CHECK(failure.code == said.code);
    CHECK(failure.text == "tmux: " + said.error);
  }
}

TEST_CASE("tmux client: what was meant for one tmux server does not reach the next") {
  Asking asking;
  asking.tmux->print("rename", "renamed\n");
  const TmuxClient of_this = asking.client.of_server(4'711);
  CHECK(test::run(asking.io, of_this.query("rename-window a")) == "renamed\n");
  CHECK(asking.tmux->last().of_server);
  CHECK(test::run(asking.io, of_this.change("rename-window b")) == "renamed\n");
  CHECK(asking.tmux->last().of_server);
  CHECK(asking.tmux->last().in_time);

  asking.tmux->pid = 4'712;
  for (const bool changes : {false, true}) {
    CAPTURE(changes);
    const Failure failure = test::failure_of(
        asking.io, changes ? of_this.change("rename-window c") : of_this.query("rename-window c"));
    CHECK(failure.code == ErrorCode::not_found);
    CHECK(failure.text == "the tmux server of this tab is gone; nothing was done");
  }
  CHECK(asking.tmux->times_asked("rename-window c") == 0);
  CHECK(asking.query("rename-window d") == "renamed\n");  // for whichever listens
}

TEST_CASE("tmux client: a deadline that passes is told, and known to those who waited meanwhile") {
  Asking asking;
  asking.tmux->become("list-panes", ScriptedTmux::Fate::lost, 1);
  const auto before = Clock::now();
  asking.client.refuse_if_timed_out_since(before);  // nothing yet
  CHECK(asking.client.silence_since(before) == Milliseconds(0));
  const Failure failure = asking.refusal(asking.client, "list-panes");
  CHECK(failure.code == ErrorCode::tmux_timeout);
  CHECK(failure.says("tmux did not answer within 4000 ms"));
  CHECK(asking.client.silence_since(before) == kDeadline);
  CHECK_THROWS_AS(asking.client.refuse_if_timed_out_since(before), Error);
  const TmuxClient same = asking.client.of_server(4'711);
  CHECK_THROWS_AS(same.refuse_if_timed_out_since(before), Error);
  const auto later = Clock::now() + Milliseconds(1);
  same.refuse_if_timed_out_since(later);
  CHECK(same.silence_since(later) == Milliseconds(0));
}

TEST_CASE("tmux client: one of another deadline has a patience of its own") {
  Asking asking;
  asking.tmux->become("list-panes", ScriptedTmux::Fate::lost);
  const auto before = Clock::now();
  const TmuxClient hasty = asking.client.with_deadline(Milliseconds(70));
  CHECK(asking.refusal(hasty, "list-panes").says("within 70 ms"));
  CHECK(asking.tmux->last().deadline == Milliseconds(70));
  CHECK_THROWS_AS(hasty.refuse_if_timed_out_since(before), Error);
  asking.client.refuse_if_timed_out_since(before);
}

TEST_CASE("tmux client: a question is open until its answer is there") {
  Asking asking;
  const auto before = Clock::now();
  asking.tmux->become("list-panes", ScriptedTmux::Fate::held);
  test::UnderWay<std::string> open(asking.io, asking.client.query("list-panes"));
  asking.io.poll();
  CHECK_FALSE(open.is_done());
  while (asking.client.silence_since(before) < Milliseconds(1) &&
         Clock::now() < before + Milliseconds(10'000)) {
  }
  CHECK(asking.client.silence_since(before) >= Milliseconds(1));
  asking.tmux->let_go_on();
  CHECK(open.result().empty());
  CHECK(asking.client.silence_since(before) == Milliseconds(0));
}

TEST_CASE(
    "tmux client: what only asks is asked again where the way broke, and what changes something is not") {
  static constexpr Milliseconds kBreaksAfter{5};
  const auto broken = [](const std::string&) {
    for (const auto then = Clock::now() + kBreaksAfter; Clock::now() < then;) {
    }
    TmuxAnswer answer;
    answer.lost = true;
    answer.error = "the connection broke";
    return answer;
  };
  for (const int times : {1, 2}) {
    CAPTURE(times);
    Asking asking;
    asking.tmux->print("list-panes", "rows\n");
    asking.tmux->on("list-panes", broken, times);
    if (times == 1) {
      CHECK(asking.query("list-panes") == "rows\n");
    } else {
      CHECK(asking.refusal(asking.client, "list-panes").text == "tmux: the connection broke");
    }
    CHECK(asking.tmux->times_asked("list-panes") == 2);
    CHECK(asking.tmux->last().deadline <= kDeadline - kBreaksAfter);  // both have one deadline
  }
  Asking asking;
  asking.tmux->on("kill-window", broken, 1);
  const Failure failure = test::failure_of(asking.io, asking.client.change("kill-window"));
  CHECK(failure.code == ErrorCode::tmux_failed);
  CHECK(asking.tmux->times_asked("kill-window") == 1);
}

TEST_CASE("tmux client: whether the server answers") {
  Asking asking;
  CHECK(test::run(asking.io, asking.client.answers()));
  asking.tmux->become("display-message", ScriptedTmux::Fate::lost, 1);
  CHECK_FALSE(test::run(asking.io, asking.client.answers()));
  asking.tmux->pid = 0;
  CHECK_FALSE(test::run(asking.io, asking.client.answers()));
  asking.tmux->pid = 1;
  asking.tmux->on("display-message", [](const std::string&) -> TmuxAnswer {
    throw Error(ErrorCode::io, "no descriptor is left");
  });
  CHECK(test::failure_of(asking.io, asking.client.answers()).code == ErrorCode::io);  // it was not asked
}

TEST_CASE("tmux client: a server is started without a guard, in the environment it is to have") {
  Asking asking;
  asking.tmux->pid = 0;
  asking.tmux->print("new-session", "4711\t1\n");
  CHECK(test::run(asking.io, asking.client.start("new-session -d", {"A=1", "B=2"})) == "4711\t1\n");
  CHECK(asking.tmux->last().starts);
  CHECK_FALSE(asking.tmux->last().in_time);
  CHECK(asking.tmux->last().environment == std::vector<std::string>{"A=1", "B=2"});
}

TEST_CASE("tmux terminal: what is typed goes to the pane in one list, byte by byte") {
  Asking asking;
  TmuxTerminal terminal(asking.client.of_server(4'711), PaneId{3});
  std::string bytes;
  for (int c = 1; c < 256; ++c) {
    bytes += static_cast<char>(c);
  }
  CHECK(test::run(asking.io, terminal.type(bytes, TypedAs::line, PaneFact::none)));
  CHECK(asking.tmux->last().of_server);
  CHECK(asking.tmux->last().in_time);
  bool pasted = false;
  for (const auto& words : test::tmux_commands(asking.tmux->last().commands)) {
    if (words.front() == "set-buffer") {
      CHECK(words.back() == bytes);
    }
    pasted = pasted || words.front() == "paste-buffer";
    if (words.front() == "paste-buffer") {
      CHECK(test::value_of(words, "-t") == "%3");
      CHECK(std::ranges::count(words, "-r") == 1);  // newlines are not made CRs
      CHECK(std::ranges::count(words, "-d") == 1);  // it may be a secret
    }
  }
  CHECK(pasted);
  CHECK(test::run(asking.io, terminal.type(std::string(1, '\0'), TypedAs::key, PaneFact::none)));
  CHECK(asking.tmux->last().commands.find("send-keys -H -t \"%3\" 00") != std::string::npos);
  CHECK(asking.tmux->last().commands.find("paste-buffer") == std::string::npos);
}

TEST_CASE("tmux terminal: what our typing makes of the pane's touch") {
  for (const auto& [typed, untouched, kept] : std::vector<std::tuple<TypedAs, bool, bool>>{
           {TypedAs::line, true, false}, {TypedAs::key, false, true}}) {
    const std::string commands = type_bytes("%3", "x", {}, typed);
    CHECK((commands.find(set_untouched("-t \"%3\"")) != std::string::npos) == untouched);
    CHECK(commands.ends_with("seen '#{@terminally_kept}'") == kept);
  }
}

TEST_CASE("tmux terminal: nothing is typed where a fact is so, and that is no failure") {
  Asking asking;
  TmuxTerminal terminal(asking.client, PaneId{3});
  asking.tmux->fail("paste-buffer", "no buffer terminally", 1);
  CHECK_FALSE(
      test::run(asking.io, terminal.type("x", TypedAs::key, PaneFact::full_screen | PaneFact::others_typed)));
  const std::string commands = asking.tmux->last().commands;
  CHECK(commands.find("#{||:#{alternate_on}," + others_typed() + "}") != std::string::npos);
  CHECK(commands.find("if-shell") < commands.find("paste-buffer"));  // looked at in the same moment
  asking.tmux->fail("paste-buffer", "no buffer space", 1);
  CHECK_FALSE(test::run(asking.io, terminal.type("x", TypedAs::key, PaneFact::none)));
  asking.tmux->fail("paste-buffer", "can't find pane: %3", 1);
  CHECK(test::failure_of(asking.io, terminal.type("x", TypedAs::key, PaneFact::none)).code ==
        ErrorCode::not_found);
  asking.tmux->become("paste-buffer", ScriptedTmux::Fate::lost, 1);
  CHECK(test::failure_of(asking.io, terminal.type_within(Milliseconds(30), "x")).code ==
        ErrorCode::tmux_timeout);
  CHECK(asking.tmux->last().deadline == Milliseconds(30));
}

TEST_CASE("tmux terminal: facts are asked of the pane, and a silent tmux does not answer in time") {
  Asking asking;
  TmuxTerminal terminal(asking.client, PaneId{3});
  asking.tmux->print("display-message", "1\n");
  CHECK(test::run(asking.io, terminal.is(PaneFact::person_types, PaneFact::none)));
  CHECK(asking.tmux->last().commands == "display-message -p -t \"%3\" " + quote(is_typed_into()));
  CHECK(test::run(asking.io, terminal.is(PaneFact::others_typed, PaneFact::full_screen)));
  CHECK(asking.tmux->last().commands.find("#{?#{alternate_on},0," + others_typed() + "}") !=
        std::string::npos);
  asking.tmux->print("display-message", "0\n");
  CHECK_FALSE(test::run(asking.io, terminal.is(PaneFact::others_typed_just_now, PaneFact::none)));
  CHECK(asking.tmux->last().commands.find(quote(others_typed_just_now())) != std::string::npos);

  CHECK(test::run(asking.io, terminal.answers_within(Milliseconds(20))));
  asking.tmux->become("display-message", ScriptedTmux::Fate::lost, 1);
  CHECK_FALSE(test::run(asking.io, terminal.answers_within(Milliseconds(20))));
  asking.tmux->on("display-message", [](const std::string&) -> TmuxAnswer {
    throw Error(ErrorCode::io, "no descriptor is left");
  });
  CHECK(test::run(asking.io, terminal.answers_within(Milliseconds(20))));  // nothing is known against it
}

TEST_CASE("command mark: a command has ended for tmux at its END, or at a path that was not taken over") {
  const std::string condition = may_have_ended("0123");
  CHECK(condition ==
        "#{||:#{==:#{pane_path},mcp:END:0123},#{&&:#{!=:#{pane_path},mcp:START:0123},"
        "#{!=:0123 #{pane_path},#{@terminally_path}}}}");
  const auto words = test::tmux_commands(take_path_over("%3", "0123")).front();
  CHECK(words == std::vector<std::string>{"set", "-pF", "-t", "%3", "@terminally_path", "0123 #{pane_path}"});
}

}  // namespace terminally
