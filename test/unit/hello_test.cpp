#include <doctest/doctest.h>

#include <string>

#include "hosts/hello.hpp"

using namespace terminally;
using HelloState = HelloReader::State;

namespace {
const std::string kANonce = "00112233445566778899aabbccddeeff";
}  // namespace

TEST_CASE("hello: what stood before it is dropped, with a newline or without, at every split position") {
  for (const char* before :
       {"", "Welcome!\n", "no newline", "\xff\xfe{\"jsonrpc\"", "terminally-mcp-gateway 00"}) {
    const std::string stream = before + hello_line(kANonce, "1.2.3 x") + "{\"id\":1}\n";
    for (std::size_t split = 0; split <= stream.size(); ++split) {
      HelloReader reader(kANonce);
      const HelloState first = reader.feed(stream.substr(0, split));
      const HelloState last = first == HelloState::seen ? first : reader.feed(stream.substr(split));
      REQUIRE(last == HelloState::seen);
      CHECK(reader.version() == "1.2.3 x");
      const std::string rest = reader.take_rest() + (first == HelloState::seen ? stream.substr(split) : "");
      CHECK(rest == "{\"id\":1}\n");
    }
  }
}

TEST_CASE("hello S3: the nonce as it was given, which a shell may print with its command line, is none") {
  HelloReader reader(kANonce);
  CHECK(reader.feed("sh: not allowed: exec terminally-mcp gateway 01 " + kANonce +
                    " \nterminally-mcp-gateway " + kANonce + " 1\n") == HelloState::waiting);
  CHECK(reader.feed(hello_line("ff112233445566778899aabbccddee00", "1")) == HelloState::waiting);
  CHECK(reader.feed(hello_line(kANonce, "2")) == HelloState::seen);
  CHECK(reader.version() == "2");
}

TEST_CASE("hello: who prints on and on is given up, and little of it is kept") {
  HelloReader reader(kANonce);
  HelloState state = HelloState::waiting;
  std::size_t fed = 0;
  while (state == HelloState::waiting && fed < 4 * HelloReader::kMostBefore) {
    state = reader.feed(std::string(65'536, 'x'));
    fed += 65'536;
    REQUIRE(reader.printed().size() <= 2'000);
  }
  CHECK(state == HelloState::too_much);
  HelloReader endless(kANonce);
  const std::string line = hello_line(kANonce, std::string(10'000, 'v'));
  CHECK(endless.feed(line.substr(0, line.size() - 1)) == HelloState::too_much);
}
