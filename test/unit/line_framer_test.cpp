#include "stdio/line_framer.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace terminally;

namespace {

/// The lines of a stream that is fed in the given pieces; "<long>" for one that was dropped.
std::vector<std::string> lines_of(const std::vector<std::string_view>& pieces,
                                  std::size_t max = kMaxLineBytes) {
  LineFramer framer(max);
  std::vector<std::string> lines;
  for (const auto piece : pieces) {
    framer.feed(piece);
    while (const auto line = framer.next()) {
      lines.push_back(line->too_long ? "<long>" : std::string(line->text));
    }
  }
  return lines;
}

}  // namespace

TEST_CASE("LineFramer: LF and CRLF end a line, blank lines are skipped, the unfinished rest waits") {
  const std::vector<std::string> expected = {"a", "b\rc", " d "};
  CHECK(lines_of({"a\r\n\n\r\n  \t\r\nb\rc\n d \nrest"}) == expected);
  CHECK(lines_of({"rest", "\n"}) == std::vector<std::string>{"rest"});
}

TEST_CASE("LineFramer: every split of a stream gives the same lines") {
  const std::string stream = "{\"a\":1}\r\n\n" + std::string(20, 'x') +
                             "\n12345678\n123456789\r\n\xc3\xa4\n1234567890\n12345678901\n" +
                             std::string(50, 'y') + "\nlast\n";
  const std::vector<std::string> expected = {"{\"a\":1}",  "<long>", "12345678", "123456789", "\xc3\xa4",
                                             "1234567890", "<long>", "<long>",   "last"};
  const std::string_view view = stream;
  constexpr std::size_t kMax = 10;
  CHECK(lines_of({view}, kMax) == expected);
  for (std::size_t first = 0; first <= view.size(); ++first) {
    for (std::size_t second = first; second <= view.size(); ++second) {
      const auto lines =
          lines_of({view.substr(0, first), view.substr(first, second - first), view.substr(second)}, kMax);
      REQUIRE_MESSAGE(lines == expected, "split at ", first, " and ", second);
    }
  }
}

TEST_CASE("R9: a line over the limit is dropped while it streams in, and the next one is served") {
  LineFramer framer(1'000);
  const std::string piece(500, 'x');
  for (int i = 0; i < 100'000; ++i) {  // 50 MB
    framer.feed(piece);
    REQUIRE_FALSE(framer.next());
  }
  framer.feed("\nnext\n");
  auto line = framer.next();
  REQUIRE(line);
  CHECK(line->too_long);
  CHECK(line->text == "{}");
  line = framer.next();
  REQUIRE(line);
  CHECK(line->text == "next");
}
