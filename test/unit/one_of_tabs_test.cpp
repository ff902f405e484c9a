// One call in several tabs: its arguments in each, and whose answer counts.
#include "toolkit/one_of_tabs.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/event.hpp"
#include "base/spawned.hpp"
#include "event_loop.hpp"

namespace terminally {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

template <typename Call>
test::Failure thrown_by(Call call) {
  try {
    static_cast<void>(call());
  } catch (const Error& error) {
    return {error.code(), error.what()};
  }
  return {};
}

/// Calls that answer when they are told to.
struct TabScene {
  explicit TabScene(std::size_t tabs, std::vector<std::string> given = {})
      : tells(tabs), answers(tabs), cancelled(tabs), at_once(!given.empty()) {
    std::ranges::move(given, answers.begin());
    std::vector<Awaitable<ordered_json>> calls;
    calls.reserve(tabs);
    for (std::size_t at = 0; at < tabs; ++at) {
      calls.push_back(call(at));
    }
    race = Spawned<FirstAnswer>(io.get_executor(), first_answer(std::move(calls)));
    turn();
  }

  Awaitable<ordered_json> call(std::size_t at) {
    try {
      if (!at_once) {
        co_await tells[at].wait();
      }
    } catch (...) {
      cancelled[at] = true;
      throw;
    }
    if (answers[at] == "fails") {
      throw Error(ErrorCode::not_found, "there is no such tab");
    }
    ordered_json result;
    result["matched"] = answers[at].empty();
    if (!answers[at].empty()) {
      result["reason"] = answers[at];
    }
    if (answers[at] == "timeout") {
      result["notes"] = {"kept", "call wait_for with from_byte 7"};
    }
    co_return result;
  }

  void answer(std::size_t at, const std::string& reason = "") {
    answers[at] = reason;
    tells[at].set();
  }
  void turn() {
    io.restart();
    io.poll();
  }

  boost::asio::io_context io{1};
  std::vector<Event> tells;
  std::vector<std::string> answers;
  std::vector<bool> cancelled;
  bool at_once;  ///< calls end without a wait
  Spawned<FirstAnswer> race;
};

}  // namespace

TEST_CASE("one of tabs: the call in each of them") {
  CHECK(in_each_tab({{"window_id", "@1"}, {"until", "exit"}}).empty());
  const auto each = in_each_tab({{"window_ids", {"@1", "build", 7}}, {"until", "exit"}});
  REQUIRE(each.size() == 3);
  CHECK(*each[0] == json({{"window_id", "@1"}, {"until", "exit"}}));
  CHECK(*each[1] == json({{"window_id", "build"}, {"until", "exit"}}));
  CHECK(*each[2] == json({{"window_id", 7}, {"until", "exit"}}));  // the tool itself refuses it
  CHECK(in_each_tab({{"window_ids", std::vector<std::string>(kMostTabsAtOnce, "@1")}}).size() ==
        kMostTabsAtOnce);
}

TEST_CASE("one of tabs: what cannot be meant is refused") {
  const auto refused = [](const json& arguments) {
    const auto failure = thrown_by([&] { return in_each_tab(arguments); });
    CHECK(failure.code == ErrorCode::invalid_argument);
    return failure.text;
  };
  CHECK(refused({{"window_ids", json::array({"@1"})}, {"window_id", "@1"}}) ==
        "window_ids: window_id is given as well; leave one of them out");
  CHECK(refused({{"window_ids", json::array({"@1"})}, {"from_byte", 5}}) ==
        "window_ids: from_byte is an offset in one tab's log; leave it out, or wait for one tab");
  CHECK(refused({{"window_ids", json::array({"@1"})}, {"x", std::string(70'000, 'x')}}) ==
        "window_ids: the arguments are longer than 65536 bytes");
  const std::string list = "window_ids: expected a list of 1 to 32 tabs";
  CHECK(refused({{"window_ids", json::array()}}) == list);
  CHECK(refused({{"window_ids", "@1"}}) == list);
  CHECK(refused({{"window_ids", std::vector<std::string>(kMostTabsAtOnce + 1, "@1")}}) == list);
}

TEST_CASE("one of tabs: the first that tells of something counts, and the others are cancelled") {
  TabScene scene(3);
  scene.turn();
  CHECK_FALSE(scene.race.is_over());
  scene.answer(1);
  scene.turn();
  REQUIRE(scene.race.is_over());
  const FirstAnswer first = scene.race.result();
  CHECK(first.of == 1);
  CHECK(first.result == ordered_json({{"matched", true}}));
  CHECK(scene.cancelled == std::vector<bool>{true, false, true});
}

TEST_CASE("one of tabs: a wait that was in vain leaves the others their time") {
  TabScene scene(3);
  scene.answer(0, "timeout");
  scene.turn();
  CHECK_FALSE(scene.race.is_over());
  scene.answer(2, "exited");
  scene.turn();
  REQUIRE(scene.race.is_over());
  const FirstAnswer first = scene.race.result();
  CHECK(first.of == 2);
  CHECK(first.result == ordered_json({{"matched", false}, {"reason", "exited"}}));
  CHECK(scene.cancelled == std::vector<bool>{false, true, false});
}

TEST_CASE("one of tabs: where the time is over in all, the answer is of the first, and says so") {
  TabScene scene(2);
  scene.answer(1, "timeout");
  scene.turn();
  scene.answer(0, "timeout");
  scene.turn();
  REQUIRE(scene.race.is_over());
  const FirstAnswer first = scene.race.result();
  CHECK(first.of == 0);
  CHECK(first.result["reason"] == "timeout");
  CHECK(first.result["notes"] ==
        ordered_json::array({"kept", "none of the 2 tabs has come to it; this is the first of them"}));
  TabScene one(1);
  one.answer(0, "timeout");
  one.turn();
  CHECK(one.race.result().result["notes"].size() == 2);  // they are of the one tab there is
}

TEST_CASE("one of tabs: calls that end without a wait are heard of") {
  TabScene all(2, {"fails", "fails"});
  REQUIRE(all.race.is_over());
  CHECK(thrown_by([&] { return all.race.result(); }).says("no such tab"));
  TabScene won(3, {"timeout", "fails", ""});
  REQUIRE(won.race.is_over());
  CHECK(won.race.result().of == 2);
  TabScene none(2, {"timeout", "timeout"});
  REQUIRE(none.race.is_over());
  CHECK(none.race.result().of == 0);
}

TEST_CASE("one of tabs: a call that fails is told, and one that is cancelled cancels all") {
  TabScene scene(2);
  scene.answer(1, "fails");
  scene.turn();
  REQUIRE(scene.race.is_over());
  CHECK(thrown_by([&] { return scene.race.result(); }).says("no such tab"));
  CHECK(scene.cancelled == std::vector<bool>{true, false});
  TabScene left(2);
  left.race.cancel();
  left.turn();
  CHECK(left.cancelled == std::vector<bool>{true, true});
}

}  // namespace terminally
