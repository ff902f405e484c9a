#include "json/envelope.hpp"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

using namespace terminally;

TEST_CASE(
    "R9: of a message that is too large its id and method are known, wherever they stand and it is split") {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {R"({"jsonrpc":"2.0","id":7,"params":{},"method":"ping"})",
       R"({"jsonrpc":"2.0","id":7,"method":"ping"})"},
      {R"({ "method" : "x" , "params":{"id":1,"a":[{"method":"no"},"id"],"b":"\"},\"id\":2"}, "id" : "a\"b\\" } )",
       R"({"method":"x" ,"id":"a\"b\\" })"},
      {R"({"id":{"id":3},"method":["ping"],"params":{}})", "{}"},
      {R"({"id":1,"id":2,"method":"x"})", R"({"id":1,"id":2,"method":"x"})"},
      {R"([{"id":1,"method":"x"}])", "{}"},
      {R"("{\"id\":1}")", "{}"},
      {R"({"id":1,"method":"x"}x)", R"({"id":1,"method":"x"})"},
      {R"({"id":1 2,"method":"x"})", R"({"id":1 2,"method":"x"})"},
      {R"(}]{"id":1})", "{}"},
      {"", "{}"},
  };
  for (const auto& [text, expected] : cases) {
    const std::string_view view = text;
    for (std::size_t split = 0; split <= view.size(); ++split) {
      Envelope envelope;
      envelope.feed(view.substr(0, split));
      envelope.feed(view.substr(split));
      REQUIRE_MESSAGE(envelope.take() == expected, text, " split at ", split);
      envelope.feed(R"({"id":8})");
      REQUIRE(envelope.take() == R"({"id":8})");
    }
  }
}

TEST_CASE("R9: what is kept of a message that is too large is bounded") {
  Envelope envelope;
  const std::string long_one(1'000'000, 'x');
  for (const std::string key : {"id", "method", "other"}) {
    envelope.feed((key == "id" ? "{\"" : ",\"") + key + "\":\"");
    for (int i = 0; i < 20; ++i) {
      envelope.feed(long_one);
    }
    envelope.feed("\"");
  }
  envelope.feed(R"(,"id":5})");
  CHECK(envelope.take() == R"({"id":5})");
  envelope.feed("{");
  for (int i = 0; i < 100'000; ++i) {
    envelope.feed(R"("id":7,)");
  }
  CHECK(envelope.take().size() < 5 * Envelope::kLongest);
}
