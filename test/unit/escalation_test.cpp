#include "tab/escalation.hpp"

#include <doctest/doctest.h>

namespace terminally {
namespace {

using namespace std::chrono_literals;

constexpr Clock::time_point kBegin{};

TEST_CASE("an escalation asks, tells and kills at the times of its plan") {
  struct Row {
    EscalationPlan plan;
    Milliseconds terminates;
    Milliseconds kills;
  };
  for (const Row& row : {Row{kEndCommand, 500ms, 5'000ms}, Row{kEndTab, 700ms, 1'400ms}}) {
    Escalation escalation(row.plan, false, kBegin);
    for (Milliseconds now{}; now <= row.kills; now += 10ms) {
      escalation.look(kBegin + now);
      const Pressure expected = now >= row.kills        ? Pressure::kill
                                : now >= row.terminates ? Pressure::terminate
                                                        : Pressure::ask;
      REQUIRE(escalation.pressure() == expected);
    }
  }
  Escalation instance(kEndInstance, false, kBegin);
  CHECK(instance.pressure() == Pressure::ask);
  instance.look(kBegin + 60ms);
  CHECK(instance.pressure() == Pressure::kill);
}

TEST_CASE("by force it kills at once, and from the moment that force is asked for") {
  CHECK(Escalation(kEndCommand, true, kBegin).pressure() == Pressure::kill);
  Escalation escalation(kEndCommand, false, kBegin);
  CHECK_FALSE(escalation.is_forced());
  escalation.force();
  CHECK(escalation.pressure() == Pressure::kill);
}

TEST_CASE("what is forced later has as long to come back as what is forced at once") {
  for (const Milliseconds asked : {100ms, 600ms, 4'900ms}) {
    Escalation escalation(kEndCommand, false, kBegin);
    for (Milliseconds now{}; now <= asked; now += 100ms) {
      escalation.look(kBegin + now);
    }
    escalation.force();
    CHECK(escalation.elapsed() == 0ms);
    escalation.look(kBegin + asked + 100ms);
    escalation.force();
    CHECK(escalation.elapsed() == 100ms);
  }
  Escalation killing(kEndTab, false, kBegin);
  for (Milliseconds now{}; now <= 1'400ms; now += 100ms) {
    killing.look(kBegin + now);
  }
  killing.force();
  CHECK(killing.elapsed() == 1'400ms);
}

TEST_CASE("each target is pressed once with each pressure, and killed again and again") {
  Escalation escalation(kEndTab, false, kBegin);
  CHECK(escalation.is_due(1));
  CHECK_FALSE(escalation.is_due(1));
  CHECK(escalation.is_due(2));
  for (Milliseconds now{}; now <= 700ms; now += 100ms) {
    escalation.look(kBegin + now);
  }
  CHECK(escalation.is_due(1));
  CHECK_FALSE(escalation.is_due(1));
  CHECK(escalation.is_due(3));  // one that came later
  CHECK_FALSE(escalation.is_due(3));
  CHECK(escalation.pressed() == 3);
  escalation.force();
  CHECK(escalation.is_due(1));
  CHECK(escalation.is_due(1));
}

TEST_CASE("of a pause no more than 250 ms count, and a clock that stands still counts nothing") {
  Escalation escalation(kEndCommand, false, kBegin);
  escalation.look(kBegin + 60s);
  CHECK(escalation.elapsed() == 250ms);
  escalation.look(kBegin + 60s);
  CHECK(escalation.elapsed() == 250ms);
  escalation.look(kBegin + 60s + 240ms);
  CHECK(escalation.elapsed() == 490ms);
  CHECK(escalation.pressure() == Pressure::ask);
  escalation.look(kBegin + 60s + 250ms);
  CHECK(escalation.pressure() == Pressure::terminate);
}

}  // namespace
}  // namespace terminally
