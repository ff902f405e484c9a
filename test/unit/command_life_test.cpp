// The life of a command that runs, as a table of what happens to it: no tmux, no process, no time that
// passes.

#include "command/life.hpp"

#include <doctest/doctest.h>

#include "command_scene.hpp"

namespace terminally {
namespace {

using namespace std::chrono_literals;
using namespace test;

struct EndingRow {
  const char* name;
  void (*happens)(Play& play);
  Outcome::Seen seen;
  CommandState state;
  Reason reason;
  std::optional<int> exit_code;
  int at_ms;  ///< when it has ended, at the latest
  int not_before_ms = 0;
};

// doc/design.md, "Ended. Every way there is".
const EndingRow kEndings[] = {
    {"its text ran to its end", [](Play& p) { end_at(p, 300ms, 3); }, Outcome::Seen::end,
     CommandState::completed, Reason::none, 3, 300},
    {"the shell abandoned it: a syntax error", [](Play& p) { end_at(p, 10ms, 2, Marker::By::hook); },
     Outcome::Seen::end, CommandState::completed, Reason::none, 2, 10},
    {"a person's C-c",
     [](Play& p) {
       p.scene.others_typed = true;
       end_at(p, 10ms, 130, Marker::By::hook);
     },
     Outcome::Seen::end, CommandState::cancelled, Reason::interrupted_in_tab, 130, 10},
    {"a person's C-c in zsh, which reports 0",
     [](Play& p) {
       p.scene.others_typed = true;
       end_at(p, 10ms, 0, Marker::By::hook);
     },
     Outcome::Seen::end, CommandState::cancelled, Reason::interrupted_in_tab, 0, 10},
    {"a person's C-c in ksh93, which counts from 256",
     [](Play& p) {
       p.scene.others_typed = true;
       end_at(p, 10ms, 258);
     },
     Outcome::Seen::end, CommandState::cancelled, Reason::interrupted_in_tab, 258, 10},
    {"130 of a command that nobody was there to interrupt", [](Play& p) { end_at(p, 10ms, 130); },
     Outcome::Seen::end, CommandState::completed, Reason::none, 130, 10},
    {"a person who was there, and another code",
     [](Play& p) {
       p.scene.others_typed = true;
       end_at(p, 10ms, 1);
     },
     Outcome::Seen::end, CommandState::completed, Reason::none, 1, 10},
    {"stopped by a person, in a shell that reports 0",
     [](Play& p) {
       p.scene.others_typed = p.scene.stopped = true;
       end_at(p, 10ms, 0, Marker::By::hook);
     },
     Outcome::Seen::end, CommandState::completed, Reason::none, 0, 10},
    {"interrupted by a person while something else was stopped",
     [](Play& p) {
       p.scene.others_typed = p.scene.stopped = true;
       end_at(p, 10ms, 130);
     },
     Outcome::Seen::end, CommandState::cancelled, Reason::interrupted_in_tab, 130, 10},
    {"the shell ended: exit, exec, set -e", [](Play& p) { end_at(p, 10ms, 7, Marker::By::shell); },
     Outcome::Seen::end, CommandState::completed, Reason::shell_exited, 7, 10},
    {"a shell elsewhere refused it", [](Play& p) { end_at(p, 10ms, 0, Marker::By::refused); },
     Outcome::Seen::refused, CommandState::failed, Reason::no_shell_answered, std::nullopt, 10},
    {"a cancel that its program hears",
     [](Play& p) {
       cancel_at(p, 100ms);
       end_at(p, 150ms, 130);
     },
     Outcome::Seen::end, CommandState::cancelled, Reason::cancelled_by_client, 130, 150},
    {"its time-out, that its program hears",
     [](Play& p) {
       deadline_at(p, 1'000ms);
       end_at(p, 1'050ms, 130);
     },
     Outcome::Seen::end, CommandState::cancelled, Reason::timeout, 130, 1'050},
    {"signalled by stop_process, which is no escalation",
     [](Play& p) {
       p.at(50ms, [&p] { p.scene.wanted.why = Reason::cancelled_by_client; });
       end_at(p, 20'000ms, 143);
     },
     Outcome::Seen::end, CommandState::cancelled, Reason::cancelled_by_client, 143, 20'000, 20'000},
    {"END is lost: a second after the exit code, with a look at what comes",
     [](Play& p) { exit_file_at(p, 100ms, 5); }, Outcome::Seen::exit_file, CommandState::completed,
     Reason::none, 5, 3'600, 2'000},
    {"END is lost in a gap that the writer reported",
     [](Play& p) {
       p.scene.gap = true;
       exit_file_at(p, 100ms, 5);
     },
     Outcome::Seen::exit_file, CommandState::completed, Reason::none, 5, 1'400, 500},
    {"END is late and comes",
     [](Play& p) {
       exit_file_at(p, 100ms, 5);
       end_at(p, 900ms, 5);
     },
     Outcome::Seen::end, CommandState::completed, Reason::none, 5, 900, 900},
    {"END is lost in a log that grows on",
     [](Play& p) {
       print_on(p, 50ms);
       exit_file_at(p, 100ms, 5);
     },
     Outcome::Seen::exit_file, CommandState::completed, Reason::none, 5, 62'000, 60'000},
    {"END is lost in a gap, in a log that grows on",
     [](Play& p) {
       p.scene.gap = true;
       print_on(p, 50ms);
       exit_file_at(p, 100ms, 5);
     },
     Outcome::Seen::exit_file, CommandState::completed, Reason::none, 5, 11'500, 10'000},
    {"END is behind a stopped writer, which goes on after a minute",
     [](Play& p) {
       p.scene.writer_stopped = true;
       exit_file_at(p, 100ms, 5);
       p.at(59'000ms, [&p] { p.scene.writer_stopped = false; });
       end_at(p, 59'010ms, 5);
     },
     Outcome::Seen::end, CommandState::completed, Reason::none, 5, 59'010, 59'010},
    {"END is behind a frozen tmux, which goes on after a minute",
     [](Play& p) {
       p.scene.tmux_answers = false;
       exit_file_at(p, 100ms, 5);
       end_at(p, 59'010ms, 5);
     },
     Outcome::Seen::end, CommandState::completed, Reason::none, 5, 59'010, 59'010},
    {"the same at its deadline, which cannot wait",
     [](Play& p) {
       p.scene.tmux_answers = false;
       deadline_at(p, 5'000ms);
       exit_file_at(p, 100ms, 5);
     },
     Outcome::Seen::tmux_stands_still, CommandState::completed, Reason::none, 5, 5'500, 5'000},
    {"a stopped writer at its deadline",
     [](Play& p) {
       p.scene.writer_stopped = true;
       deadline_at(p, 5'000ms);
       exit_file_at(p, 100ms, 5);
     },
     Outcome::Seen::log_stands_still, CommandState::completed, Reason::none, 5, 5'500, 5'000},
    {"cancelled, and END is lost",
     [](Play& p) {
       cancel_at(p, 100ms);
       exit_file_at(p, 200ms, 130);
     },
     Outcome::Seen::exit_file, CommandState::cancelled, Reason::cancelled_by_client, 130, 3'000, 1'200},
    {"cancelled, and END is behind a frozen tmux: that cannot wait, either",
     [](Play& p) {
       p.scene.tmux_answers = false;
       cancel_at(p, 100ms);
       exit_file_at(p, 200ms, 130);
     },
     Outcome::Seen::tmux_stands_still, CommandState::cancelled, Reason::cancelled_by_client, 130, 2'000,
     1'200},
    {"cancelled, and END is lost in a log that grows on",
     [](Play& p) {
       print_on(p, 50ms);
       cancel_at(p, 100ms);
       exit_file_at(p, 200ms, 130);
     },
     Outcome::Seen::exit_file, CommandState::cancelled, Reason::cancelled_by_client, 130, 3'000, 1'200},
    {"END is lost in a log that grows on, until its deadline",
     [](Play& p) {
       print_on(p, 50ms);
       deadline_at(p, 5'000ms);
       exit_file_at(p, 100ms, 5);
     },
     Outcome::Seen::exit_file, CommandState::completed, Reason::none, 5, 6'500, 5'000},
    {"its log cannot be read for a moment: nothing is judged meanwhile",
     [](Play& p) {
       p.at(50ms, [&p] { p.scene.unreadable_since = p.now(); });
       exit_file_at(p, 100ms, 5);
       end_at(p, 6'000ms, 5);
     },
     Outcome::Seen::end, CommandState::completed, Reason::none, 5, 6'000, 6'000},
    {"END is late, and the log goes on at the last moment",
     [](Play& p) {
       exit_file_at(p, 100ms, 5);
       print_on(p, 1'900ms);
       end_at(p, 5'000ms, 5);
     },
     Outcome::Seen::end, CommandState::completed, Reason::none, 5, 5'000, 5'000},
    {"the tab was closed", [](Play& p) { p.at(300ms, [&p] { p.scene.tab = false; }); },
     Outcome::Seen::tab_gone, CommandState::failed, Reason::tab_closed, std::nullopt, 600},
    {"tmux ended", [](Play& p) { p.at(300ms, [&p] { p.scene.tab = p.scene.tmux = false; }); },
     Outcome::Seen::tab_gone, CommandState::failed, Reason::tmux_server_lost, std::nullopt, 600},
    {"tmux is ending, and its tab is still there",
     [](Play& p) { p.at(300ms, [&p] { p.scene.tmux = false; }); }, Outcome::Seen::tab_gone,
     CommandState::failed, Reason::tmux_server_lost, std::nullopt, 600},
    {"the nested shell that it ran in is gone, opened by a person",
     [](Play& p) {
       p.scene.nested = true;
       p.at(300ms, [&p] { p.scene.shell_gone = true; });
     },
     Outcome::Seen::shell_gone, CommandState::failed, Reason::shell_exited, std::nullopt, 1'000, 450},
    {"the same, opened by a command of ours, which may tell",
     [](Play& p) {
       p.scene.nested = true;
       p.scene.outermost = false;
       p.at(300ms, [&p] { p.scene.shell_gone = true; });
     },
     Outcome::Seen::shell_gone, CommandState::failed, Reason::shell_exited, std::nullopt, 2'000, 1'300},
    {"the same, and that command is ending, and says so later",
     [](Play& p) {
       p.scene.nested = p.scene.around_is_ending = true;
       p.scene.outermost = false;
       p.at(300ms, [&p] { p.scene.shell_gone = true; });
       p.at(5'000ms, [&p] { p.scene.around_is_ending = false; });
     },
     Outcome::Seen::shell_gone, CommandState::failed, Reason::shell_exited, std::nullopt, 5'200, 5'000},
    {"the same, and its own code comes meanwhile",
     [](Play& p) {
       p.scene.nested = true;
       p.scene.outermost = false;
       p.at(300ms, [&p] { p.scene.shell_gone = true; });
       exit_file_at(p, 900ms, 3);
     },
     Outcome::Seen::exit_file, CommandState::completed, Reason::none, 3, 4'500, 1'900},
    {"the tab's own shell is gone, and tells its code a moment later",
     [](Play& p) {
       p.at(300ms, [&p] { p.scene.shell_gone = true; });
       end_at(p, 2'500ms, 7, Marker::By::shell);
     },
     Outcome::Seen::end, CommandState::completed, Reason::shell_exited, 7, 2'500, 2'500},
    {"the same, being cancelled",
     [](Play& p) {
       p.scene.nested = true;
       p.at(300ms, [&p] { p.scene.shell_gone = true; });
       cancel_at(p, 200ms);
     },
     Outcome::Seen::shell_gone, CommandState::cancelled, Reason::cancelled_by_client, std::nullopt, 1'000,
     450},
    {"its log cannot be read for ten seconds", [](Play& p) { p.scene.unreadable_since = Play::epoch(); },
     Outcome::Seen::log_unreadable, CommandState::failed, Reason::none, std::nullopt, 10'400, 10'000},
    {"the same, and its exit code is known",
     [](Play& p) {
       p.scene.unreadable_since = Play::epoch();
       exit_file_at(p, 100ms, 5);
     },
     Outcome::Seen::exit_file, CommandState::completed, Reason::none, 5, 10'400, 10'000},
    {"its log cannot be read for a while, when its exit code is known",
     [](Play& p) {
       exit_file_at(p, 100ms, 5);
       p.at(300ms, [&p] { p.scene.unreadable_since = p.now(); });
       p.at(8'000ms, [&p] { p.scene.unreadable_since.reset(); });
       end_at(p, 8'001ms, 5);
     },
     Outcome::Seen::end, CommandState::completed, Reason::none, 5, 8'001, 8'001},
    {"nothing ends it", [](Play& p) { cancel_at(p, 1'000ms); }, Outcome::Seen::gave_up, CommandState::failed,
     Reason::cancelled_by_client, std::nullopt, 1'000 + 6'000, 1'000 + 5'700},
    {"nothing ends it by force", [](Play& p) { cancel_at(p, 1'000ms, true); }, Outcome::Seen::gave_up,
     CommandState::failed, Reason::cancelled_by_client, std::nullopt, 2'000, 1'700},
    {"nothing ends it at its time-out", [](Play& p) { deadline_at(p, 1'000ms); }, Outcome::Seen::gave_up,
     CommandState::failed, Reason::timeout, std::nullopt, 1'000 + 6'000, 1'000 + 5'700},
};

TEST_CASE("every ending of a command that runs") {
  for (const EndingRow& row : kEndings) {
    CAPTURE(row.name);
    RunningPlay play;
    row.happens(play);
    const Outcome* outcome = play.until(70'000ms);
    REQUIRE(outcome != nullptr);
    CHECK(outcome->seen == row.seen);
    CHECK(outcome->state == row.state);
    CHECK(outcome->reason == row.reason);
    CHECK(outcome->exit_code == row.exit_code);
    CHECK(play.ms() <= row.at_ms);
    CHECK(play.ms() >= row.not_before_ms);
    CHECK(play.times("settle") ==
          (row.seen == Outcome::Seen::end || row.seen == Outcome::Seen::refused ? 1 : 0));
    if (row.state == CommandState::completed) {  // what it left in the background is nobody's to end
      CHECK(play.times("end rest") == 0);
      CHECK(play.times("press key") == 0);
    }
  }
}

TEST_CASE("nothing is pressed where the shell that it was typed into has ended within another") {
  for (const auto& ends : {std::function<void(Play&)>([](Play& p) { deadline_at(p, 500ms); }),
                           std::function<void(Play&)>([](Play& p) { cancel_at(p, 500ms); }),
                           std::function<void(Play&)>([](Play& p) { cancel_at(p, 500ms, true); })}) {
    RunningPlay play;
    play.scene.nested = true;
    play.scene.outermost = false;
    play.at(300ms, [&play] { play.scene.shell_gone = true; });
    ends(play);
    const Outcome* outcome = play.until(10'000ms);
    REQUIRE(outcome != nullptr);
    CHECK(outcome->seen == Outcome::Seen::shell_gone);
    CHECK(outcome->reason != Reason::timeout);
    CHECK(play.times("press key") == 0);
    CHECK(play.times("end rest") == 0);
  }
}

TEST_CASE("the rest is ended where END is lost, too") {
  RunningPlay play;
  cancel_at(play, 100ms);
  exit_file_at(play, 200ms, 130);
  const Outcome* outcome = play.until(20'000ms);
  REQUIRE(outcome != nullptr);
  CHECK(outcome->seen == Outcome::Seen::exit_file);
  CHECK(play.times("end rest") == 1);
}

TEST_CASE("tmux has its time to answer") {
  RunningPlay play;
  play.scene.tmux_answers = false;
  play.perform = [&play](const Act& act) {
    if (test::name_of(act) == "ask tmux") {
      play.scene.long_acts[LongAct::ask_tmux] = ActState::going;
      play.in(800ms, [&play] {
        play.scene.long_acts[LongAct::ask_tmux] = ActState::done;
        play.scene.tmux_answers = true;
      });
    }
  };
  exit_file_at(play, 100ms, 5);
  const Outcome* outcome = play.until(20'000ms);
  REQUIRE(outcome != nullptr);
  CHECK(outcome->seen == Outcome::Seen::exit_file);
  CHECK(play.times("ask tmux") == 1);
}

TEST_CASE("tmux is not asked while the log goes on") {
  RunningPlay play;
  print_on(play, 50ms);
  exit_file_at(play, 100ms, 5);
  CHECK(play.until(50'000ms) == nullptr);
  CHECK(play.times("ask tmux") == 0);
}

TEST_CASE("a quiet command is looked at once a second, one that moves five times") {
  RunningPlay quiet;
  int looks = 0;
  quiet.perform = [&looks](const Act& act) {
    looks += std::holds_alternative<act::LookForShells>(act) ? 1 : 0;
  };
  static_cast<void>(quiet.until(60'000ms));
  CHECK(looks < 80);
  CHECK(looks >= 55);
  RunningPlay busy;
  looks = 0;
  busy.perform = quiet.perform;
  print_on(busy, 50ms);
  static_cast<void>(busy.until(10'000ms));
  CHECK(looks >= 45);
  CHECK(looks <= 52);
}

TEST_CASE("a quiet command that is cancelled is looked at five times a second, and one that moves soon") {
  RunningPlay cancelled;
  int looks = 0;
  cancelled.perform = [&looks, &cancelled](const Act& act) {
    looks += std::holds_alternative<act::LookForShells>(act) && cancelled.ms() >= 30'000 ? 1 : 0;
  };
  cancelled.at(20'000ms, [&cancelled] { cancelled.scene.grew = cancelled.now(); });
  cancel_at(cancelled, 30'000ms);
  static_cast<void>(cancelled.until(33'000ms));
  CHECK(looks >= 9);
  CHECK(looks <= 17);

  RunningPlay moves;
  int moved = 0;
  int looked = 0;
  moves.perform = [&](const Act& act) {
    if (!std::holds_alternative<act::LookForShells>(act) || moves.ms() < 30'000) {
      return;
    }
    if (moved == 0) {
      moved = moves.ms() + 10;
      moves.in(10ms, [&moves] { moves.scene.grew = moves.now(); });
    } else if (looked == 0) {
      looked = moves.ms();
    }
  };
  static_cast<void>(moves.until(33'000ms));
  CHECK(looked == moved + 200);
}

TEST_CASE("the files of one that runs are looked after, once it is known to run") {
  int restores = 0;
  const auto count = [&restores](const Act& act) {
    restores += std::holds_alternative<act::RestoreFiles>(act) ? 1 : 0;
  };
  RunningPlay runs;
  runs.perform = count;
  static_cast<void>(runs.until(1'100ms));
  CHECK(restores >= 4);
  restores = 0;
  Play perhaps(Play::running());
  perhaps.perform = count;
  static_cast<void>(perhaps.until(1'100ms));
  CHECK(restores == 0);
}

TEST_CASE("one that is found in a closed tab is read to its end") {
  Play lost(CommandLife(CommandLife::Found::in_closed_tab, Play::epoch()));
  const Outcome* outcome = lost.until(100ms);
  REQUIRE(outcome != nullptr);
  CHECK(outcome->reason == Reason::tab_closed);
  CHECK(lost.times("read log") == 1);
  Play ended(CommandLife(CommandLife::Found::in_closed_tab, Play::epoch()));
  ended.perform = [&ended](const Act& /*act*/) { ended.scene.end_read = SeenEnd{Marker::By::wrapper, 9}; };
  outcome = ended.until(100ms);
  REQUIRE(outcome != nullptr);
  CHECK(outcome->exit_code == 9);
}

}  // namespace
}  // namespace terminally
