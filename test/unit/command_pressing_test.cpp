// What makes a command end, and when: its time, or a cancel.

#include "command/life.hpp"

#include <doctest/doctest.h>

#include "command_scene.hpp"

namespace terminally {
namespace {

using namespace std::chrono_literals;
using namespace test;
using Who = SeenForeground::Who;

TEST_CASE("a program is asked, told, and killed, exactly then") {
  RunningPlay play;
  cancel_at(play, 1'000ms);
  static_cast<void>(play.until(20'000ms));
  CHECK(play.when_done("record") == 1'000);
  CHECK(play.when_done("press key") == 1'000);
  CHECK(play.times("interrupt group 7") == 0);
  CHECK(play.when_done("terminate group 7") == 1'500);
  CHECK(play.times("terminate group 7") == 1);
  CHECK(play.when_done("kill group 7") == 6'000);
  CHECK(play.when_done("kill shell") == 6'400);
  CHECK(play.times("kill shell") == 1);
  CHECK(play.when_done("end rest") == 6'750);
  CHECK(play.life.termination().has_killed());
}

TEST_CASE("by force it is killed at once, without a key") {
  RunningPlay play;
  cancel_at(play, 1'000ms, true);
  static_cast<void>(play.until(20'000ms));
  CHECK(play.when_done("press key") == std::nullopt);
  CHECK(play.when_done("terminate group 7") == std::nullopt);
  CHECK(play.when_done("kill group 7") == 1'000);
  CHECK(play.when_done("kill shell") == 1'400);
}

TEST_CASE(
    "where more of the text is behind what is killed, the shell is told with the first signal, and once") {
  RunningPlay asked;
  asked.scene.front.shell_goes_on = true;
  cancel_at(asked, 0ms);
  static_cast<void>(asked.until(20'000ms));
  CHECK(asked.when_done("terminate group 7 and tell shell") == 500);
  CHECK(asked.when_done("kill group 7") == 5'000);
  RunningPlay forced;
  forced.scene.front.shell_goes_on = true;
  cancel_at(forced, 0ms, true);
  static_cast<void>(forced.until(20'000ms));
  CHECK(forced.when_done("kill group 7 and tell shell") == 0);
  CHECK(forced.times("kill group 7 and tell shell") == 1);
}

TEST_CASE("by force the shell is told between two programs, too") {
  RunningPlay play;
  cancel_at(play, 0ms, true);
  play.at(100ms, [&play] { play.scene.front = program(8); });
  static_cast<void>(play.until(300ms));
  CHECK(play.when_done("kill group 7") == 0);
  CHECK(play.when_done("kill group 8 and tell shell") == 100);
}

TEST_CASE("a cancel that is repeated by force does not wait any longer") {
  RunningPlay play;
  cancel_at(play, 1'000ms);
  cancel_at(play, 1'200ms, true);
  static_cast<void>(play.until(20'000ms));
  CHECK(play.when_done("kill group 7") == 1'200);
  CHECK(play.ms() < 2'100);
}

TEST_CASE("what is forced later does not cost the shell, nor where its program is long in ending") {
  for (const auto& [force_at, shell_back_at, works_for] :
       {std::tuple(2'000ms, 2'100ms, 100ms), {2'000ms, 2'380ms, 200ms}, {0ms, 380ms, 200ms}}) {
    RunningPlay play;
    cancel_at(play, 0ms);
    cancel_at(play, force_at, true);
    play.at(shell_back_at, [&play] { play.scene.front = own_shell(false); });
    end_at(play, shell_back_at + works_for, 137);
    static_cast<void>(play.until(20'000ms));
    CHECK(play.when_done("kill group 7") == force_at.count());
    CHECK(play.times("kill shell") == 0);
  }
  RunningPlay stays;
  cancel_at(stays, 0ms);
  cancel_at(stays, 2'000ms, true);
  stays.at(2'390ms, [&stays] { stays.scene.front = own_shell(false); });
  static_cast<void>(stays.until(20'000ms));
  CHECK(stays.when_done("kill shell") == 2'650);
}

TEST_CASE("each new foreground group is pressed, and the shell told between two of them") {
  RunningPlay play;
  cancel_at(play, 0ms);
  play.at(700ms, [&play] { play.scene.front = program(8); });
  play.at(5'200ms, [&play] { play.scene.front = program(9); });
  static_cast<void>(play.until(20'000ms));
  CHECK(play.when_done("terminate group 7") == 500);
  CHECK(play.when_done("terminate group 8 and tell shell") == 700);
  CHECK(play.when_done("kill group 8") == 5'000);
  CHECK(play.when_done("kill group 9 and tell shell") == 5'200);
  CHECK(play.times("terminate group 8 and tell shell") == 1);  // it keeps that in mind
  CHECK(play.times("kill group 8 and tell shell") == 0);
  CHECK(play.times("kill group 9 and tell shell") == 1);
}

TEST_CASE("one that missed the key has its signal once") {
  RunningPlay play;
  play.scene.front.missed_key = true;
  cancel_at(play, 0ms);
  static_cast<void>(play.until(4'000ms));
  CHECK(play.when_done("interrupt group 7") == 200);
  CHECK(play.times("interrupt group 7") == 1);
}

TEST_CASE("one that began after the key, just before its SIGTERM, does not have the list go on") {
  RunningPlay play;
  cancel_at(play, 0ms);
  play.at(480ms, [&play] { play.scene.front = program(8); });  // program 7 has cleaned up
  play.at(480ms, [&play] { play.scene.front.missed_key = true; });
  static_cast<void>(play.until(4'000ms));
  CHECK(play.when_done("terminate group 8 and tell shell") == 500);
}

TEST_CASE("each program of a loop that missed the key has its signal, until one of them ends the loop") {
  RunningPlay play;
  play.scene.front.missed_key = true;
  cancel_at(play, 0ms);
  play.at(220ms, [&play] { play.scene.front = program(8); });  // begun after the key
  play.at(220ms, [&play] { play.scene.front.missed_key = true; });
  static_cast<void>(play.until(4'000ms));
  CHECK(play.when_done("interrupt group 7") == 200);
  CHECK(play.when_done("interrupt group 8") == 250);
  CHECK(play.times("interrupt group 8") == 1);
}

TEST_CASE("one that its shell is just making has its SIGTERM when it can hear it") {
  RunningPlay play;
  play.scene.front.deaf_fork = true;
  play.scene.front.missed_key = true;
  cancel_at(play, 0ms);
  play.at(700ms, [&play] { play.scene.front.deaf_fork = false; });
  static_cast<void>(play.until(4'000ms));
  CHECK(play.when_done("terminate group 7") == 700);
  CHECK(play.times("terminate group 7") == 1);
  CHECK(play.when_done("interrupt group 7") == 200);
  CHECK(play.times("interrupt group 7") == 1);
}

TEST_CASE("one that its shell is making for ever is killed all the same") {
  RunningPlay play;
  play.scene.front.deaf_fork = true;
  cancel_at(play, 0ms);
  static_cast<void>(play.until(20'000ms));
  CHECK(play.when_done("terminate group 7") == std::nullopt);
  CHECK(play.when_done("kill group 7") == 5'000);
}

TEST_CASE("what it opened is hung up on, and a way to a shell elsewhere gets no SIGTERM") {
  RunningPlay play;
  play.scene.front.who = Who::opened_shell;
  cancel_at(play, 0ms);
  play.at(1'000ms, [&play] {
    play.scene.front = program(8);
    play.scene.front.who = Who::gateway;
    play.scene.front.missed_key = true;
  });
  static_cast<void>(play.until(20'000ms));
  CHECK(play.when_done("hang up group 7") == 500);
  CHECK(play.when_done("interrupt group 8") == 1'000);
  CHECK(play.when_done("terminate group 8 and tell shell") == std::nullopt);
  CHECK(play.when_done("kill group 8 and tell shell") == 5'000);
}

TEST_CASE("a shell that runs something itself is told each half second, and killed in the end") {
  RunningPlay play;
  play.scene.front = own_shell(false);
  cancel_at(play, 0ms);
  static_cast<void>(play.until(20'000ms));
  CHECK(play.when_done("interrupt shell") == 500);
  CHECK(play.times("interrupt shell") == 11);
  CHECK(play.when_done("kill shell") == 5'000);
  CHECK_FALSE(play.life.termination().has_killed());
}

TEST_CASE("a shell whose program was killed may come back to its prompt") {
  RunningPlay play;
  cancel_at(play, 0ms);
  play.at(5'010ms, [&play] { play.scene.front = own_shell(false); });
  end_at(play, 5'300ms, 137);
  REQUIRE(play.until(20'000ms) != nullptr);
  CHECK(play.times("kill shell") == 0);
  CHECK(play.times("interrupt shell") == 0);  // what prints END would be hit
  RunningPlay works_on;
  cancel_at(works_on, 0ms);
  works_on.at(1'000ms, [&works_on] { works_on.scene.front = own_shell(false); });
  static_cast<void>(works_on.until(3'000ms));
  CHECK(works_on.when_done("interrupt shell") == 1'250);
}

TEST_CASE("a shell that is gone is not told anything") {
  RunningPlay play;
  play.scene.front = own_shell(false);
  play.scene.shell_gone = true;
  cancel_at(play, 0ms);
  REQUIRE(play.until(20'000ms) != nullptr);
  CHECK(play.times("interrupt shell") == 0);
  CHECK(play.times("kill shell") == 0);
}

TEST_CASE("where nobody has the foreground, nobody is signalled") {
  RunningPlay play;
  play.scene.front = {};
  cancel_at(play, 0ms);
  REQUIRE(play.until(20'000ms) != nullptr);
  for (const auto& [when, act] : play.done) {
    CHECK(act.find(" group ") == std::string::npos);
  }
}

TEST_CASE("it is given up when its rest is ended") {
  RunningPlay play;
  play.perform = [&play](const Act& act) {
    if (test::name_of(act) == "end rest") {
      play.scene.long_acts[LongAct::end_rest] = ActState::going;
      play.in(150ms, [&play] { play.scene.long_acts[LongAct::end_rest] = ActState::done; });
    }
  };
  cancel_at(play, 0ms);
  const Outcome* outcome = play.until(20'000ms);
  REQUIRE(outcome != nullptr);
  CHECK(outcome->seen == Outcome::Seen::gave_up);
  CHECK(play.when_done("end rest") == 5'750);
  CHECK(play.ms() == 5'900);
}

TEST_CASE("a shell at its prompt is probed once where its hook was lost") {
  RunningPlay play;
  cancel_at(play, 0ms);
  play.at(100ms, [&play] { play.scene.front = own_shell(true); });
  static_cast<void>(play.until(3'000ms));
  CHECK(play.when_done("type probe").value_or(0) >= 500);
  CHECK(play.when_done("type probe").value_or(9'999) <= 600);
  CHECK(play.times("type probe") == 1);
  CHECK(play.when_done("interrupt shell") == std::nullopt);
}

TEST_CASE("a shell that is back at its prompt gets no signal") {
  RunningPlay play;
  cancel_at(play, 0ms);
  play.at(100ms, [&play] { play.scene.front = own_shell(true); });
  static_cast<void>(play.until(4'900ms));
  CHECK(play.times("terminate group 1") == 0);
  CHECK(play.times("interrupt group 1") == 0);
}

TEST_CASE("a prompt between two steps is no lost hook") {
  RunningPlay play;
  cancel_at(play, 0ms);
  play.at(100ms, [&play] { play.scene.front = own_shell(true); });
  play.at(300ms, [&play] { play.scene.front = program(8); });
  play.at(450ms, [&play] { play.scene.front = own_shell(true); });
  static_cast<void>(play.until(3'000ms));
  CHECK(play.when_done("type probe").value_or(0) >= 850);
  CHECK(play.when_done("type probe").value_or(9'999) <= 950);
}

TEST_CASE("by force no probe is typed, and where there is no probe, none") {
  RunningPlay forced;
  forced.scene.front = own_shell(true);
  cancel_at(forced, 0ms, true);
  REQUIRE(forced.until(20'000ms) != nullptr);
  CHECK(forced.times("type probe") == 0);
  RunningPlay elsewhere;
  elsewhere.scene.front = own_shell(true);
  elsewhere.scene.probe = false;
  cancel_at(elsewhere, 0ms);
  REQUIRE(elsewhere.until(20'000ms) != nullptr);
  CHECK(elsewhere.times("type probe") == 0);
}

TEST_CASE("where C-c is a character, a shell at its prompt is told") {
  RunningPlay play;
  play.scene.front = own_shell(true);
  play.scene.front.keys_signal = false;
  cancel_at(play, 0ms);
  static_cast<void>(play.until(900ms));
  CHECK(play.when_done("interrupt shell") == 500);
}

TEST_CASE("news in the log makes nobody press sooner") {
  RunningPlay play;
  print_on(play, 1ms);
  cancel_at(play, 0ms);
  play.at(5'001ms, [&play] { play.scene.front = own_shell(false); });  // of the SIGKILL: on its way back
  end_at(play, 5'020ms, 137);
  const Outcome* outcome = play.until(20'000ms);
  REQUIRE(outcome != nullptr);
  CHECK(outcome->exit_code == 137);
  CHECK(play.times("interrupt shell") == 0);
}

TEST_CASE("a machine that stands still takes no patience from the program") {
  RunningPlay play;
  cancel_at(play, 0ms);
  // No look between 1 s and 11 s.
  static_cast<void>(play.until(1'000ms));
  Todo todo = play.life.step(play.scene, Play::epoch() + 11'000ms);
  for (const Act& act : todo.acts) {
    CHECK(test::name_of(act) != "kill group 7");
  }
}

TEST_CASE("a key that tmux does not carry delays what comes after it, and nothing else") {
  RunningPlay play;
  play.perform = [&play](const Act& act) {
    if (test::name_of(act) == "press key") {
      play.scene.long_acts[LongAct::press_interrupt_key] = ActState::going;
      play.in(1'000ms, [&play] { play.scene.long_acts[LongAct::press_interrupt_key] = ActState::done; });
    }
  };
  cancel_at(play, 0ms);
  static_cast<void>(play.until(20'000ms));
  CHECK(play.when_done("terminate group 7").value_or(0) >= 1'000);
  CHECK(play.when_done("terminate group 7").value_or(9'999) <= 1'050);
  CHECK(play.when_done("kill group 7") == 5'000);
}

TEST_CASE("a shell whose command has ended is left alone, though END is lost") {
  RunningPlay play;
  cancel_at(play, 0ms);
  exit_file_at(play, 4'900ms, 143);
  const Outcome* outcome = play.until(20'000ms);
  REQUIRE(outcome != nullptr);
  CHECK(outcome->seen == Outcome::Seen::exit_file);
  CHECK(outcome->state == CommandState::cancelled);
  CHECK(outcome->exit_code == 143);
  CHECK(play.ms() <= 6'000);
  for (const char* act : {"kill shell", "interrupt shell", "type probe"}) {
    CHECK(play.times(act) == 0);
  }
}

TEST_CASE("END ends it while its end is being forced") {
  for (const Milliseconds when : {1ms, 499ms, 501ms, 4'999ms, 5'001ms, 5'401ms, 5'749ms}) {
    CAPTURE(when.count());
    RunningPlay play;
    cancel_at(play, 0ms);
    end_at(play, when, 130);
    const Outcome* outcome = play.until(20'000ms);
    REQUIRE(outcome != nullptr);
    CHECK(outcome->seen == Outcome::Seen::end);
    CHECK(outcome->state == CommandState::cancelled);
    CHECK(play.ms() == when.count());
    CHECK(play.times("end rest") == 1);
    CHECK(play.done.back().second == "settle");  // the rest is ended first, then who was there is asked
  }
}

TEST_CASE("a cancel is heard whatever its time-out waits for") {
  Play not_begun(Play::running());
  not_begun.scene.front = own_shell(false);
  deadline_at(not_begun, 1'000ms);
  cancel_at(not_begun, 3'001ms);
  static_cast<void>(not_begun.until(4'000ms));
  CHECK(not_begun.when_done("press key") == 3'001);

  Play begins_late(Play::running());
  begins_late.scene.front = own_shell(false);
  deadline_at(begins_late, 1'000ms);
  begins_late.at(3'000ms, [&begins_late] { begins_late.scene.start_read = true; });
  cancel_at(begins_late, 3'101ms);
  static_cast<void>(begins_late.until(4'000ms));
  CHECK(begins_late.when_done("press key") == 3'101);

  RunningPlay reads;
  reads.scene.more_in_log = true;
  deadline_at(reads, 1'000ms);
  cancel_at(reads, 1'501ms);
  static_cast<void>(reads.until(3'000ms));
  CHECK(reads.when_done("press key") == 1'501);
}

TEST_CASE("a quiet command is interrupted at its deadline") {
  RunningPlay play;
  deadline_at(play, 30'017ms);
  static_cast<void>(play.until(31'000ms));
  CHECK(play.when_done("press key") == 30'017);
}

TEST_CASE("what ends in time is not pressed") {
  RunningPlay play;
  deadline_at(play, 1'000ms);
  play.scene.more_in_log = true;  // END is in what was not read yet
  end_at(play, 1'500ms, 0);
  const Outcome* outcome = play.until(20'000ms);
  REQUIRE(outcome != nullptr);
  CHECK(outcome->state == CommandState::completed);
  CHECK(play.times("press key") == 0);
}

TEST_CASE("a log that does not end is read for a second, then the time is over") {
  RunningPlay play;
  deadline_at(play, 1'000ms);
  play.scene.more_in_log = true;
  static_cast<void>(play.until(2'500ms));
  CHECK(play.when_done("press key").value_or(0) >= 2'000);
  CHECK(play.when_done("press key").value_or(9'999) <= 2'001);
}

TEST_CASE("what may wait unseen is spared by its deadline, unless that was asked for (S1)") {
  for (const bool spares : {true, false}) {
    RunningPlay play;
    play.scene.front.unseen = true;
    play.scene.wanted.spares_unseen = spares;
    deadline_at(play, 1'000ms);
    play.at(1'050ms, [&play, spares] {
      if (spares) {
        play.scene.wanted.deadline = Clock::time_point::max();  // as act::Spare does
      }
    });
    static_cast<void>(play.until(3'000ms));
    CHECK(play.times("press key") == (spares ? 0 : 1));
    CHECK((play.times("spare") > 0) == spares);
    cancel_at(play, 3'000ms);
    static_cast<void>(play.until(4'000ms));
    CHECK(play.times("press key") == 1);
  }
}

TEST_CASE("what may still be on its way is not interrupted at its deadline") {
  Play play(Play::running());
  play.scene.front = own_shell(false);  // it runs what a person typed
  deadline_at(play, 1'000ms);
  CHECK(play.until(30'000ms) == nullptr);
  CHECK(play.times("press key") == 0);
  CHECK(play.times("remove script") > 100);
  play.at(30'100ms, [&play] {
    play.scene.start_read = true;
    play.scene.front = program();
  });
  static_cast<void>(play.until(31'000ms));
  CHECK(play.when_done("press key").value_or(0) >= 30'400);  // its END may be right behind
  CHECK(play.when_done("press key").value_or(99'999) <= 30'700);
}

TEST_CASE("one whose END is right behind its late START is not interrupted") {
  Play play(Play::running());
  play.scene.front = own_shell(false);
  deadline_at(play, 1'000ms);
  play.at(5'000ms, [&play] { play.scene.start_read = true; });
  end_at(play, 5'150ms, 0);
  const Outcome* outcome = play.until(30'000ms);
  REQUIRE(outcome != nullptr);
  CHECK(outcome->state == CommandState::completed);
  CHECK(play.times("press key") == 0);
}

TEST_CASE("a deadline that was moved away does not hold") {
  RunningPlay play;
  deadline_at(play, 1'000ms);
  play.at(500ms, [&play] { play.scene.wanted.deadline = Clock::time_point::max(); });
  CHECK(play.until(30'000ms) == nullptr);
  CHECK(play.done.empty());
}

}  // namespace
}  // namespace terminally
