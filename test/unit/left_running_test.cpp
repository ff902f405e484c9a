// What a client is told of the commands that it left running.
#include "mcp/left_running.hpp"

#include <doctest/doctest.h>

#include <map>
#include <nlohmann/json.hpp>

namespace terminally {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

struct Client {
  LeftRunning left;
  std::map<std::string, CommandRecord> records;

  void begins(const std::string& id) {
    CommandRecord record;
    record.id = id;
    record.command = "make " + id + "\nmore";
    records[id] = record;
  }
  void ends(const std::string& id, std::optional<int> exit_code,
            CommandState state = CommandState::completed) {
    records[id].state = state;
    records[id].exit_code = exit_code;
  }
  std::vector<std::string> call(const json& arguments, const ordered_json& answer) {
    return left.news_beside(arguments, answer,
                            [this](WindowId /*tab*/, const std::string& id) -> std::optional<CommandRecord> {
                              const auto found = records.find(id);
                              return found == records.end() ? std::nullopt : std::optional(found->second);
                            });
  }
  /// A call in no tab.
  std::vector<std::string> look() { return call(json::object(), ordered_json::object()); }
};

using News = std::vector<std::string>;

const ordered_json kStarted = {{"started", true}, {"command_id", "a"}};
const ordered_json kRuns = {{"state", "running"}, {"command_id", "a"}};

}  // namespace

TEST_CASE("left running: the end of a command in another tab is told once") {
  for (const ordered_json& begun : {kStarted, kRuns}) {
    Client client;
    client.begins("a");
    CHECK(client.call({{"window_id", "@3"}}, begun).empty());
    CHECK(client.look().empty());
    client.ends("a", 2);
    CHECK(client.call({{"window_id", "@4"}}, {{"state", "completed"}}) ==
          News{"in @3 has ended meanwhile: make a… (exit 2); get_command_state {\"window_id\": \"@3\", "
               "\"command_id\": \"a\"} has its output"});
    CHECK(client.look().empty());
  }
  Client client;
  client.begins("a");
  client.call({},
              {{"window_id", "@3"}, {"started", true}, {"command_id", "a"}});  // which tab, it says itself
  client.ends("a", std::nullopt, CommandState::cancelled);
  const News told = client.look();
  REQUIRE(told.size() == 1);
  CHECK(told[0].find("(cancelled)") != std::string::npos);
}

TEST_CASE("left running: what a call in its tab shows is no news") {
  Client client;
  client.begins("a");
  client.call({{"window_id", "@3"}}, kRuns);
  client.ends("a", 0);
  CHECK(client.call({{"window_id", "@3"}}, {{"state", "completed"}, {"exit_code", 0}}).empty());
  CHECK(client.look().empty());
}

TEST_CASE("left running: who closes a tab is not told what ended in it") {
  Client client;
  client.begins("a");
  client.call({{"window_id", "@3"}}, kStarted);
  client.ends("a", 0);
  CHECK(client.call({{"window_id", "@3"}}, {{"closed", true}}).empty());
  CHECK(client.look().empty());
}

TEST_CASE("left running: a call in its tab that shows nothing of it leaves it to be told") {
  const std::vector<std::pair<json, ordered_json>> calls = {
      {{{"window_id", "@3"}}, {{"matches", ordered_json::array()}}},
      {{{"window_id", "@3"}, {"command", "other"}}, {{"state", "completed"}, {"exit_code", 0}}},
      {{{"window_id", "@3"}}, {{"state", "completed"}, {"command_id", "other"}}}};
  for (const auto& [arguments, answer] : calls) {
    Client client;
    client.begins("a");
    client.call({{"window_id", "@3"}}, kRuns);
    client.ends("a", 0);
    CHECK(client.call(arguments, answer).empty());
    CHECK(client.look().size() == 1);
    CHECK(client.look().empty());
  }
}

TEST_CASE("left running: what was told as ended, never began or is unknown is not remembered") {
  Client client;
  client.begins("a");
  client.ends("a", 0);
  client.call({{"window_id", "@3"}}, {{"state", "completed"}, {"command_id", "a"}});
  client.call({{"window_id", "@3"}}, {{"started", nullptr}, {"command_id", "a"}});
  client.call({{"window_id", "x"}}, kRuns);
  client.call({}, kRuns);
  client.call({{"window_id", "@3"}}, {{"state", "running"}});
  CHECK(client.look().empty());
  client.call({{"window_id", "@5"}}, {{"state", "running"}, {"command_id", "gone"}});
  CHECK(client.look().empty());
  client.begins("gone");
  client.ends("gone", 0);
  CHECK(client.look().empty());  // it was forgotten
}

TEST_CASE("left running: one that is told of twice is one, and of many the oldest are forgotten") {
  Client client;
  for (std::size_t i = 0; i < LeftRunning::kMost + 1; ++i) {
    const std::string id = "c" + std::to_string(i);
    client.begins(id);
    for (int times = 0; times < 2; ++times) {
      client.call({{"window_id", "@3"}}, {{"state", "running"}, {"command_id", id}});
    }
  }
  for (auto& [id, record] : client.records) {
    client.ends(id, 0);
  }
  const News news = client.look();
  REQUIRE(news.size() == LeftRunning::kMost);
  CHECK(news.front().find("make c1… ") != std::string::npos);
}

}  // namespace terminally
