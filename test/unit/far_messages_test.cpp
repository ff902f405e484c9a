#include "hosts/far_messages.hpp"

#include <doctest/doctest.h>

#include <string>
#include <variant>

#include "base/error.hpp"
#include "hosts/far_requests.hpp"

using namespace terminally;
using nlohmann::ordered_json;

namespace {

constexpr const char* kStep =
    R"({"method":"notifications/progress","params":{"progressToken":7,"progress":2.5,"message":"a",)"
    R"("_meta":{"terminally-mcp/seen":{"done":1,"total":3},)"
    R"("terminally-mcp/awaiting_input":{"kind":"password","prompt":"pw: "}}}})";

bool is_nothing(const char* line) {
  return std::holds_alternative<std::monostate>(read_far_message(line));
}

bool dropped(const std::string& line) {
  return answers_nobody(line, [](std::uint64_t id) { return id == 7; });
}

FarMessage answer(std::uint64_t id, const char* output) {
  FarAnswer answer;
  answer.id = id;
  answer.result["output"] = output;
  return answer;
}

FarMessage step(std::uint64_t id, double progress, std::string text) {
  FarStep far;
  far.id = id;
  far.step.progress = progress;
  far.step.message = std::move(text);
  return far;
}

/// What a client is told, which has room or has not.
struct Listener {
  ReportProgress report() {
    return [this](const Progress& step) {
      messages.push_back(step.message);
      return Taken::yes;
    };
  }
  std::vector<std::string> messages;
};

}  // namespace

TEST_CASE("far messages: an answer keeps the order of its fields") {
  const auto read = std::get<FarAnswer>(read_far_message(R"({"id":7,"result":{"z":1,"a":{"y":2,"b":3}}})"));
  CHECK(read.id == 7);
  CHECK_FALSE(read.refusal);
  CHECK(read.result.dump() == R"({"z":1,"a":{"y":2,"b":3}})");
}

TEST_CASE("far messages: a refusal, and an answer that is none") {
  CHECK(std::get<FarAnswer>(read_far_message(R"({"id":7,"error":{"message":"no"}})")).refusal == "no");
  CHECK(std::get<FarAnswer>(read_far_message(R"({"id":7,"error":{"code":1}})")).refusal == "");
  CHECK(std::get<FarAnswer>(read_far_message(R"({"id":7,"result":[]})")).refusal ==
        "the host answered with neither a result nor an error");
}

TEST_CASE("far messages: progress") {
  const auto read = std::get<FarStep>(read_far_message(kStep));
  CHECK(read.id == 7);
  CHECK(read.step.progress == 2.5);
  CHECK(read.step.message == "a");
  REQUIRE(read.step.seen);
  CHECK(read.step.seen->total == 3);
  REQUIRE(read.step.awaiting_input);
  CHECK(read.step.awaiting_input->kind == AwaitingInput::Kind::password);
  CHECK(read.step.awaiting_input->prompt == "pw: ");
  std::string long_prompt(kStep);
  long_prompt.replace(long_prompt.find("pw: "), 4, std::string(1U << 20U, 'p'));
  const auto cut = std::get<FarStep>(read_far_message(long_prompt)).step.awaiting_input;
  CHECK(cut->prompt.size() <= kLongestFarWords + std::string_view("…").size());
}

TEST_CASE("far messages: what nobody asked for is nothing") {
  CHECK(is_nothing(R"({"id":7,"method":"tools/call","params":{}})"));
  CHECK(
      is_nothing(R"({"id":7,"method":"notifications/progress","params":{"progressToken":7,"progress":1}})"));
  CHECK(is_nothing(R"({"method":"notifications/progress","params":{"progressToken":"7","progress":1}})"));
  CHECK(is_nothing(R"({"method":"notifications/progress","params":[7]})"));
  CHECK(is_nothing(R"({"method":7})"));
  CHECK(is_nothing(R"({"id":"7","result":{}})"));
  CHECK(is_nothing(R"({"id":-7,"result":{}})"));
  CHECK(is_nothing("{}"));
}

TEST_CASE("far messages: what is no message ends the link") {
  for (const char* const line : {"", "[]", "7", R"({"id":7)", R"({"id":7,"id":8,"result":{}})", "\xff"}) {
    CAPTURE(line);
    CHECK_THROWS_WITH_AS(static_cast<void>(read_far_message(line)),
                         doctest::Contains("the host sent a line that is no JSON-RPC message"), Error);
  }
}

TEST_CASE("far messages: so many keys that each would be compared with all are refused") {
  std::string object = "{";
  for (int key = 0; key < 100'000; ++key) {
    object += "\"" + std::to_string(key) + "\":0,";
  }
  const std::string line = R"({"id":7,"result":)" + object + R"("z":0}})";
  CHECK_THROWS_WITH_AS(static_cast<void>(read_far_message(line)), doctest::Contains("keys"), Error);
}

TEST_CASE("far messages: what answers nobody is known without reading it") {
  CHECK(dropped(R"({"id":8,"result":{"a":[1,{"id":7}]}})"));
  CHECK(dropped(R"({"id":8,"result":{"a": nonsense )" + std::string(100, '[')));
  CHECK(dropped(R"({"id":"7","result":{}})"));
  CHECK_FALSE(dropped(R"({"id":7,"result":{"id":8}})"));
  CHECK_FALSE(dropped(R"({"result":{"id":8},"id":7})"));
  CHECK_FALSE(dropped(kStep));
  CHECK_FALSE(dropped("nonsense"));
  CHECK_FALSE(dropped(R"({"id":8,"id":7,"result":{}})"));
}

TEST_CASE("far requests: an answer reaches the one that it names, once") {
  FarRequests requests;
  const auto first = requests.add(1, nullptr);
  const auto second = requests.add(2, nullptr);
  requests.take(answer(3, "of another"));
  CHECK_FALSE(first->done.is_set());
  requests.take(answer(2, "mine"));
  requests.take(answer(2, "twice"));
  CHECK_FALSE(first->done.is_set());
  CHECK(second->result["output"] == "mine");
  CHECK(requests.waits(1));
  CHECK_FALSE(requests.waits(2));
  requests.remove(1);
  requests.take(answer(1, "too late"));
  CHECK_FALSE(first->done.is_set());
}

TEST_CASE("far requests: a lost link leaves what was answered before") {
  FarRequests requests;
  const auto answered = requests.add(1, nullptr);
  const auto waiting = requests.add(2, nullptr);
  requests.take(answer(1, "mine"));
  requests.lose_all();
  CHECK_FALSE(answered->lost);
  CHECK(waiting->lost);
  CHECK(waiting->done.is_set());
}

TEST_CASE("far requests: progress only for who asked for it, and not behind its answer") {
  Listener client;
  FarRequests requests;
  static_cast<void>(requests.add(1, nullptr));
  static_cast<void>(requests.add(2, client.report()));
  requests.take(step(1, 1, "not asked for"));
  requests.take(step(3, 1, "of another"));
  requests.take(step(2, 1, "a"));
  requests.take(answer(2, "mine"));
  requests.take(step(2, 2, "too late"));
  CHECK(client.messages == std::vector<std::string>{"a"});
}
