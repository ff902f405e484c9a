#include "text/typed_text.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

using namespace terminally;
using namespace std::string_view_literals;

namespace {

/// The keys one after the other, an answer of the terminal as "-"; what is not whole yet is "…".
std::vector<std::string> keys_of(std::string_view typed) {
  std::vector<std::string> keys;
  while (!typed.empty()) {
    const TypedKey key = first_key(typed);
    keys.push_back(key.bytes == 0 ? "…" : key.answer ? "-" : std::string(typed.substr(0, key.bytes)));
    typed.remove_prefix(key.bytes == 0 ? typed.size() : key.bytes);
  }
  return keys;
}

using Keys = std::vector<std::string>;

}  // namespace

TEST_CASE("typed keys: characters and sequences") {
  CHECK(keys_of("aü\r\x7f") == Keys{"a", "ü", "\r", "\x7f"});
  CHECK(keys_of("\x1b[A\x1bOPx\x1b[1;5C\x1b[15~") == Keys{"\x1b[A", "\x1bOP", "x", "\x1b[1;5C", "\x1b[15~"});
  CHECK(keys_of("\x1b") == Keys{"\x1b"});
  CHECK(keys_of("\x1b\x1b") == Keys{"\x1b", "\x1b"});
  CHECK(keys_of("\x1b"
                "f\x1bü") == Keys{"\x1b"
                                  "f",
                                  "\x1bü"});
  CHECK(keys_of("\x1b[") == Keys{"\x1b["});
  CHECK(keys_of("\x1b[200~x\x1b[201~") == Keys{"\x1b[200~x\x1b[201~"});
}

TEST_CASE("typed keys: what is not whole waits") {
  CHECK(keys_of("\xc3") == Keys{"…"});
  CHECK(keys_of("\x1b[1;") == Keys{"…"});
  CHECK(keys_of("\x1b[200~a\rb\x1b[201") == Keys{"…"});
  CHECK(keys_of("\x1b]11;rgb:00") == Keys{"…"});
}

TEST_CASE("typed keys: what the terminal answers is no key") {
  CHECK(keys_of("\x1b[?62;22c\x1b[24;80R\x1b[0n\x1b[>1;2c") == Keys{"-", "-", "-", "-"});
  CHECK(keys_of("\x1b]11;rgb:0000/0000/0000\x1b\\a\x1b]11;x\ab\x1bP>|tmux\x1b\\") ==
        Keys{"-", "a", "-", "b", "-"});
}

TEST_CASE("typed keys: a line at a time") {
  CHECK(first_line("yes\rrm -rf x\r") == 4);
  CHECK(first_line("no end") == 6);
  CHECK(first_line("\x04more") == 1);
  CHECK(first_line(std::string(10'000, 'x')) == 4'095);
}
