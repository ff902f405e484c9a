#include "tmux/wire/quoting.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

using namespace terminally;

namespace {

/// What tmux makes of a word in double quotes, as far as we use them: an octal number is a byte, and
/// nothing else that is special there occurs.
std::string read_by_tmux(const std::string& quoted) {
  REQUIRE(quoted.size() >= 2);
  REQUIRE(quoted.front() == '"');
  REQUIRE(quoted.back() == '"');
  std::string text;
  for (std::size_t at = 1; at + 1 < quoted.size(); ++at) {
    if (quoted[at] != '\\') {
      text += quoted[at];
      continue;
    }
    REQUIRE(at + 4 < quoted.size());
    text += static_cast<char>(std::stoi(quoted.substr(at + 1, 3), nullptr, 8));
    at += 3;
  }
  return text;
}

}  // namespace

TEST_CASE("D7: every byte arrives at tmux, as one that no locale and no version reads in another way") {
  std::string all;
  for (int byte = 1; byte < 256; ++byte) {
    all += static_cast<char>(byte);
  }
  const std::string quoted = quote(all);
  CHECK(read_by_tmux(quoted) == all);
  CHECK(std::ranges::all_of(quoted, [](char c) { return c >= ' ' && c <= '~'; }));
  CHECK(quoted.find_first_of("$~", 1) == std::string::npos);
  CHECK(std::ranges::count(quoted, '"') == 2);
}

TEST_CASE("D7: in a format each number sign is one, and none begins a style") {
  CHECK(format_literal("a#b##c#{d}#") == "a##b####c##{d}##");
  CHECK(format_literal("#[bold]") == "#[bold]");
}
