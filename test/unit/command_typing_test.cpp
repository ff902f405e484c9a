// The life of a command from the call to START.

#include "command/life.hpp"

#include <doctest/doctest.h>

#include "command_scene.hpp"

namespace terminally {
namespace {

using namespace std::chrono_literals;
using namespace test;

/// One that is typed by `how` once the prompt is there.
struct Typing {
  Play play{CommandLife(Play::epoch() + 5'000ms)};
  std::vector<Did> answers;  ///< of each typing; then: typed
  std::size_t typed = 0;

  Typing() {
    play.scene.front = own_shell(true);
    play.perform = [this](const Act& act) {
      if (std::holds_alternative<act::Approach>(act)) {
        play.life.did(Did::reached_prompt, play.now());
      } else if (std::holds_alternative<act::ClearPrompt>(act)) {
        play.life.did(Did::cleared, play.now());
      } else if (std::holds_alternative<act::Type>(act)) {
        play.life.did(typed < answers.size() ? answers[typed] : Did::typed, play.now());
        ++typed;
      }
    };
  }
  [[nodiscard]] std::vector<std::string> acts() const {
    std::vector<std::string> names;
    names.reserve(play.done.size());
    for (const auto& [when, name] : play.done) {
      names.push_back(name);
    }
    return names;
  }
};

using Acts = std::vector<std::string>;

TEST_CASE("a line that is taken") {
  Typing typing;
  typing.play.at(20ms, [&typing] { typing.play.scene.start_read = true; });
  static_cast<void>(typing.play.until(21ms));
  CHECK(typing.play.life.is_followed());
  CHECK(typing.acts() == Acts{"approach", "type 1"});
}

TEST_CASE("a line that is not taken is typed once more, and no third time") {
  Typing typing;
  const Outcome* outcome = typing.play.until(60'000ms);
  REQUIRE(outcome != nullptr);
  CHECK(outcome->seen == Outcome::Seen::untaken);
  CHECK(outcome->reason == Reason::no_shell_answered);
  CHECK(typing.acts() ==
        Acts{"approach", "type 1", "remove script", "withdraw", "approach", "type 2", "remove script"});
  CHECK(typing.play.ms() >= 3'000);
  CHECK(typing.play.ms() <= 3'400);
}

TEST_CASE("a line is not typed again where it was taken at the last moment") {
  Typing typing;
  typing.play.perform = [&typing, first = typing.play.perform](const Act& act) {
    first(act);
    if (std::holds_alternative<act::RemoveScript>(act)) {
      typing.play.scene.taken = true;  // between our look and the removal
    }
  };
  CHECK(typing.play.until(30'000ms) == nullptr);
  CHECK(typing.play.life.is_followed());
  CHECK(typing.typed == 1);
}

TEST_CASE("a shell that is not at its prompt may take the line later") {
  Typing typing;
  typing.play.scene.front = own_shell(false);
  CHECK(typing.play.until(4'999ms) == nullptr);
  CHECK_FALSE(typing.play.life.is_followed());
  CHECK(typing.play.until(5'100ms) == nullptr);
  CHECK(typing.play.life.is_followed());  // nothing is known: it may run
  CHECK(typing.typed == 1);
  typing.play.at(20'000ms, [&typing] { typing.play.scene.front = own_shell(true); });
  const Outcome* outcome = typing.play.until(60'000ms);
  REQUIRE(outcome != nullptr);
  CHECK(outcome->seen == Outcome::Seen::untaken);  // it is known now that it never ran
  CHECK(typing.typed == 1);
  CHECK(typing.play.times("press key") == 0);
}

TEST_CASE("a line that is typed at the last moment has its time to be taken") {
  Typing typing;
  typing.play.scene.front = own_shell(false);
  typing.play.perform = [&typing, first = typing.play.perform](const Act& act) {
    if (std::holds_alternative<act::Approach>(act)) {
      typing.play.pass(4'990ms);
    }
    first(act);
  };
  CHECK(typing.play.until(6'400ms) == nullptr);
  CHECK_FALSE(typing.play.life.is_followed());
  CHECK(typing.play.until(6'600ms) == nullptr);
  CHECK(typing.play.life.is_followed());
}

TEST_CASE("a shell that was busy meanwhile has all its time to take the line") {
  Typing typing;
  typing.play.at(1'000ms, [&typing] { typing.play.scene.front = own_shell(false); });
  typing.play.at(2'000ms, [&typing] { typing.play.scene.front = own_shell(true); });
  static_cast<void>(typing.play.until(3'400ms));
  CHECK(typing.acts() == Acts{"approach", "type 1"});
  static_cast<void>(typing.play.until(3'700ms));
  CHECK(typing.typed == 2);
}

TEST_CASE("a line for a shell elsewhere is typed once, whatever does not come") {
  Typing typing;
  typing.play.scene.files = false;
  CHECK(typing.play.until(60'000ms) == nullptr);
  CHECK(typing.typed == 1);
  CHECK(typing.play.life.is_followed());
}

TEST_CASE("of a shell elsewhere no file tells anything") {
  Typing typing;
  typing.play.scene.files = false;
  typing.play.scene.taken = true;  // there is none that says that it was not
  typing.play.scene.exit_file = 0;
  CHECK(typing.play.until(4'900ms) == nullptr);
  CHECK_FALSE(typing.play.life.is_followed());
}

TEST_CASE("an END whose START is missing ends it, and nothing is typed again") {
  for (const bool files : {true, false}) {
    for (const Marker::By by : {Marker::By::wrapper, Marker::By::hook, Marker::By::shell}) {
      if (files && by == Marker::By::shell) {
        continue;  // that shell died before it came to it
      }
      CAPTURE(files);
      Typing typing;
      typing.play.scene.files = files;
      typing.play.scene.front = own_shell(false);
      typing.play.at(100ms, [&typing, by] { typing.play.scene.end_read = SeenEnd{by, 2}; });
      const Outcome* outcome = typing.play.until(60'000ms);
      REQUIRE(outcome != nullptr);
      CHECK(outcome->seen == Outcome::Seen::end);
      CHECK(typing.typed == 1);
    }
  }
}

TEST_CASE("typing that failed is not repeated, taken or not") {
  Typing typing;
  typing.answers = {Did::perhaps_typed};
  const Outcome* outcome = typing.play.until(60'000ms);
  REQUIRE(outcome != nullptr);
  CHECK(outcome->seen == Outcome::Seen::not_typed);
  CHECK(typing.play.ms() == 0);  // the shell waits at its prompt, and its script is gone
  CHECK(typing.typed == 1);

  Typing taken;
  taken.answers = {Did::perhaps_typed};
  taken.play.scene.taken = true;
  CHECK(taken.play.until(10'000ms) == nullptr);
  CHECK(taken.play.life.is_followed());
}

TEST_CASE("where somebody has typed, that is cleared first, and the line is the first one still") {
  Typing typing;
  typing.answers = {Did::not_typed, Did::not_typed};
  typing.play.at(5ms, [&typing] { typing.play.scene.start_read = true; });
  static_cast<void>(typing.play.until(6ms));
  CHECK(typing.acts() == Acts{"approach", "type 1", "withdraw", "clear", "approach", "type 1", "withdraw",
                              "clear", "approach", "type 1"});
}

TEST_CASE("what nobody wants any more is not typed") {
  struct Row {
    void (*happens)(Requested& requested);
    Outcome::Seen seen;
    Reason reason;
  };
  const Row rows[] = {
      {[](Requested& w) { w.why = Reason::cancelled_by_client; }, Outcome::Seen::called_off,
       Reason::cancelled_by_client},
      {[](Requested& w) { w.deadline = Play::epoch(); }, Outcome::Seen::called_off, Reason::timeout},
      {[](Requested& w) { w.answered = true; }, Outcome::Seen::untaken, Reason::no_shell_answered},
      {[](Requested& w) {
         w.answered = true;
         w.why = Reason::cancelled_by_client;
       },
       Outcome::Seen::called_off, Reason::cancelled_by_client},
  };
  for (const Row& row : rows) {
    // Before it was typed, and before it would be typed again.
    for (const bool again : {false, true}) {
      CAPTURE(again);
      Typing typing;
      if (!again) {
        typing.answers = {Did::not_typed};
        row.happens(typing.play.scene.wanted);
      } else {
        typing.play.at(100ms, [&typing, &row] { row.happens(typing.play.scene.wanted); });
      }
      const Outcome* outcome = typing.play.until(60'000ms);
      REQUIRE(outcome != nullptr);
      CHECK(outcome->seen == row.seen);
      CHECK(outcome->reason == row.reason);
      CHECK(typing.typed == 1);
    }
  }
}

TEST_CASE("a shell that died before it came to the line") {
  Typing typing;
  typing.play.scene.front = own_shell(false);
  typing.play.at(100ms, [&typing] { typing.play.scene.end_read = SeenEnd{Marker::By::shell, 1}; });
  typing.play.perform = [&typing, first = typing.play.perform](const Act& act) {
    if (std::holds_alternative<act::Withdraw>(act)) {
      typing.play.scene.end_read.reset();
      typing.play.in(10ms, [&typing] { typing.play.scene.start_read = true; });
    }
    first(act);
  };
  static_cast<void>(typing.play.until(200ms));
  CHECK(typing.play.life.is_followed());
  CHECK(typing.acts() == Acts{"approach", "type 1", "withdraw", "approach", "type 2"});
}

TEST_CASE("a shell that died of the command itself") {
  Typing typing;
  typing.play.scene.front = own_shell(false);
  typing.play.at(100ms, [&typing] {
    typing.play.scene.taken = true;
    typing.play.scene.end_read = SeenEnd{Marker::By::shell, 1};
  });
  const Outcome* outcome = typing.play.until(60'000ms);
  REQUIRE(outcome != nullptr);
  CHECK(outcome->reason == Reason::shell_exited);
  CHECK(typing.typed == 1);
}

TEST_CASE("a tab that is closed before the line was taken") {
  Typing typing;
  typing.play.scene.front = {};
  typing.play.scene.tab = false;
  const Outcome* outcome = typing.play.until(60'000ms);
  REQUIRE(outcome != nullptr);
  CHECK(outcome->seen == Outcome::Seen::not_begun);

  Typing elsewhere;
  elsewhere.play.scene.front = {};
  elsewhere.play.scene.tab = elsewhere.play.scene.files = false;
  outcome = elsewhere.play.until(60'000ms);
  REQUIRE(outcome != nullptr);
  CHECK(outcome->seen == Outcome::Seen::tab_gone);  // it may have run
}

TEST_CASE("a tab that is closed after the line was taken") {
  Typing typing;
  typing.play.scene.front = {};
  typing.play.scene.tab = false;
  typing.play.scene.taken = true;
  const Outcome* outcome = typing.play.until(60'000ms);
  REQUIRE(outcome != nullptr);
  CHECK(outcome->seen == Outcome::Seen::tab_gone);
}

TEST_CASE("one that was taken and whose START does not come is followed after a moment") {
  Typing typing;
  typing.play.scene.front = program();
  typing.play.scene.taken = true;
  static_cast<void>(typing.play.until(1'400ms));
  CHECK_FALSE(typing.play.life.is_followed());
  static_cast<void>(typing.play.until(1'700ms));
  CHECK(typing.play.life.is_followed());
  Typing over;
  over.play.scene.taken = true;
  over.play.scene.exit_file = 4;
  static_cast<void>(over.play.until(10ms));
  CHECK_FALSE(over.play.life.is_followed());  // most are over by then, and nothing was to be looked at
  static_cast<void>(over.play.until(30ms));
  CHECK(over.play.life.is_followed());
}

}  // namespace
}  // namespace terminally
