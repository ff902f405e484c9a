#include "shell/shells.hpp"

#include <doctest/doctest.h>

#include <stdexcept>

using namespace terminally;

TEST_CASE("fill: a name stands for its value, wherever it stands and however often") {
  const ScriptValues values = {
      {"VAR", "__mcp_1_"}, {"NAME", "__mcp_1"}, {"EXIT_LOST", ""}, {"FILE_2", "'a b'"}};
  CHECK(fill("__VAR__s=$? __VAR__k=${__VAR__s-}\n", values) == "__mcp_1_s=$? __mcp_1_k=${__mcp_1_s-}\n");
  CHECK(fill("case __EXIT_LOST__$- in (1*) . __FILE_2__;; esac", values) == "case $- in (1*) . 'a b';; esac");
  CHECK(fill("__NAME____NAME__", values) == "__mcp_1__mcp_1");
  CHECK(fill("", values).empty());
}

TEST_CASE("fill: a shell's own names stay") {
  const ScriptValues values = {{"NAME", "x"}};
  for (const char* script : {"${__mcp_seen#*a}", "functions -e __fish_enable_focus __fish_disable_focus",
                             "a__", "__", "__A", "____", "__A b__", "_A_"}) {
    CAPTURE(script);
    CHECK(fill(script, values) == script);
  }
  CHECK(fill("${__mcp_seen#*__NAME__}", values) == "${__mcp_seen#*x}");
}

TEST_CASE("fill: a value is not looked through") {
  CHECK(fill("__A__ __B__", {{"A", "__B__ __C__"}, {"B", "__A__"}}) == "__B__ __C__ __A__");
}

TEST_CASE("fill: a name without a value is an error of ours, and is named") {
  CHECK_THROWS_WITH_AS(static_cast<void>(fill("a __TXT__", {{"TEXT", "x"}})),
                       "a script has __TXT__, which has no value", std::logic_error);
}

TEST_CASE("fill: a script of one line is typed without its newline") {
  CHECK(fill_line(". __A__\n", {{"A", "x\n"}}) == ". x\n");
  CHECK(fill_line(". a\n", {}) == ". a");
  CHECK(fill_line("", {}).empty());
}
