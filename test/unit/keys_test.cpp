#include "tmux/wire/keys.hpp"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"

using namespace terminally;

TEST_CASE("A7: keys are written as people write them and named as tmux names them") {
  const std::vector<std::pair<std::string, std::string>> keys = {
      {"a", "a"},
      {"A", "A"},
      {";", ";"},
      {"-", "-"},
      {"é", "é"},
      {" ", "Space"},
      {"Enter", "Enter"},
      {"enter", "Enter"},
      {"Return", "Enter"},
      {"Esc", "Escape"},
      {"Backspace", "BSpace"},
      {"PageUp", "PPage"},
      {"PgDn", "NPage"},
      {"Delete", "DC"},
      {"Insert", "IC"},
      {"C-c", "C-c"},
      {"C-C", "C-c"},
      {"c-c", "C-c"},
      {"C-Space", "C-Space"},
      {"C-@", "C-@"},
      {"M-x", "M-x"},
      {"M-X", "M-X"},
      {"M--", "M--"},
      {"M-C-a", "C-M-a"},
      {"S-Up", "S-Up"},
      {"C-S-Left", "C-S-Left"},
      {"S-Tab", "BTab"},
      {"F1", "F1"},
      {"f12", "F12"},
      {"F13", "S-F1"},
      {"F20", "S-F8"},
      {"C-F13", "C-S-F1"},
      {"M-Enter", "M-Enter"},
      {"S", "S"},
      {"F", "F"},
      {"C--", ""},
  };
  for (const auto& [given, wanted] : keys) {
    CAPTURE(given);
    if (wanted.empty()) {
      CHECK_THROWS_AS(static_cast<void>(tmux_key(given)), Error);
    } else {
      CHECK(tmux_key(given) == wanted);
    }
  }
}

TEST_CASE("A7: what is no key is refused, and what is allowed is said") {
  for (const std::string key :
       {"",        "ab",   "Ctrl-C", "C-",       "C-Tab", "C-Enter", "C-1",    "C-é", "S-a",
        "S-Enter", "F0",   "F21",    "F123",     "S-F13", "C-C-a",   "S-S-Up", "Up ", " Up",
        "\x03",    "\x7f", "\xFF",   "\xC2\x85", "éé",    "X-a",     "M-"}) {
    CAPTURE(key);
    try {
      static_cast<void>(tmux_key(key));
      FAIL("taken");
    } catch (const Error& error) {
      CHECK(error.code() == ErrorCode::invalid_argument);
      CHECK(std::string(error.what()).find("F1 to F20") != std::string::npos);
    }
  }
}

TEST_CASE("A7: a list of keys is one command in which nothing is special to tmux") {
  CHECK(send_keys_command("%3", {"a", ";", "'", "-", "C-c", "Up"}) ==
        R"(send-keys -t "%3" -- "a" ";" "'" "-" "C-c" "Up")");
  try {
    static_cast<void>(send_keys_command("%3", {"a", "Upp"}));
    FAIL("taken");
  } catch (const Error& error) {
    CHECK(std::string(error.what()).starts_with("keys[1]: \"Upp\""));
  }
}
