#include "tmux/rows.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace terminally;

TEST_CASE("rows: a pane as tmux lists it") {
  const auto row = parse_pane_row("@3\t%12\t4711\t/dev/pts/4\t1\t0\t120\tbuild #1");
  REQUIRE(row);
  CHECK(to_string(row->window) == "@3");
  CHECK(to_string(row->pane) == "%12");
  CHECK(row->pane_pid == 4711);
  CHECK(row->tty == "/dev/pts/4");
  CHECK(row->window_active);
  CHECK_FALSE(row->piped);
  CHECK(row->cols == 120);
  CHECK(row->name == "build #1");
}

TEST_CASE("rows: what is no row is left out") {
  for (const std::string line : {"", "@3", "@3\t%1\t2\ttty\t1\t0\t80", "@3\t%1\t2\ttty\t1\t0\t80\tname\tmore",
                                 "3\t%1\t2\ttty\t1\t0\t80\tn", "@3\t1\t2\ttty\t1\t0\t80\tn",
                                 "@3\t%1\tx\ttty\t1\t0\t80\tn", "@3\t%1\t2\ttty\t1\t0\t80x\tn"}) {
    CAPTURE(line);
    CHECK_FALSE(parse_pane_row(line));
  }
  CHECK(parse_pane_rows("no server\n@1\t%1\t2\tt\t0\t1\t80\ta\n\n@2\t%2\t3\tt\t1\t1\t80\tb\n").size() == 2);
}

TEST_CASE("rows: names come back as they were given") {
  CHECK(unescape_tmux_name(R"(a\\b)") == "a\\b");
  CHECK(unescape_tmux_name(R"(tab\there)") == "tab\there");
  CHECK(unescape_tmux_name(R"(\303\274ber)") == "\303\274ber");
  CHECK(unescape_tmux_name("end\\") == "end\\");
  CHECK(unescape_tmux_name(R"(\$HOME)") == "$HOME");
  CHECK(unescape_tmux_name("\303\274") == "\303\274");
}

TEST_CASE("rows: bytes as send-keys -H takes them") {
  CHECK(to_hex(std::string("\0\x7f\xff A", 5)) == "007fff2041");
  CHECK(to_hex("").empty());
}
