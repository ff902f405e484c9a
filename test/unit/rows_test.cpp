#include "tmux/wire/rows.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace terminally;

TEST_CASE("rows: a pane as tmux lists it") {
  const auto row = parse_pane_row("@20\t$1\t@3\t1\t%12\t4711\t/dev/pts/4\t1\t0\t120\t40\t1\t1\tbuild #1");
  REQUIRE(row);
  CHECK(row->tag == "@20");
  CHECK(row->tab == WindowId{20});
  CHECK(row->session == "$1");
  CHECK(row->window == "@3");
  CHECK(row->in_tabs);
  CHECK(to_string(row->pane) == "%12");
  CHECK(row->pane_pid == 4711);
  CHECK(row->tty == "/dev/pts/4");
  CHECK(row->window_active);
  CHECK_FALSE(row->piped);
  CHECK(row->cols == 120);
  CHECK(row->rows == 40);
  CHECK(row->alternate);
  CHECK(row->person_types);
  CHECK(row->name == "build #1");
  CHECK(row->layouts.empty());
}

TEST_CASE("rows: how often layouts changed stands behind whether the window is seen") {
  for (const std::string field : {"", "0", "1", "117", "03"}) {
    const auto row = parse_pane_row("@3\t$0\t@3\t1\t%1\t2\ttty\t" + field + "\t0\t80\t24\t0\t0\tn");
    REQUIRE(row);
    CHECK(row->window_active == (field == "1" || field == "117"));
    CHECK(row->layouts == (field.empty() ? "" : field.substr(1)));
    CHECK(untold(*row) == "@3:" + row->layouts);
  }
}

TEST_CASE("rows: what is no row is left out") {
  const std::string good = "@3\t$0\t@3\t1\t";
  for (const std::string& line :
       {std::string(), std::string("@3"), good + "%1\t2\ttty\t1\t0\t80",
        good + "%1\t2\ttty\t1\t0\t80\t24\t0\t0\tname\tmore",
        std::string("@3\t$0\t3\t1\t%1\t2\ttty\t1\t0\t80\t24\t0\t0\tn"),
        good + "1\t2\ttty\t1\t0\t80\t24\t0\t0\tn", good + "%1\tx\ttty\t1\t0\t80\t24\t0\t0\tn",
        good + "%1\t2\ttty\t1\t0\t80x\t24\t0\t0\tn"}) {
    CAPTURE(line);
    CHECK_FALSE(parse_pane_row(line));
  }
  const std::string row = good + "%1\t2\tt\t0\t1\t80\t24\t0\t0\ta\n";
  CHECK(parse_pane_rows("no server\n" + row + "\n" + row).size() == 2);
}

TEST_CASE("rows: a pane without a tag, or split off by a person, is no tab (D38)") {
  for (const std::string tag : {"", "@3.%7", "x"}) {
    const auto row = parse_pane_row(tag + "\t$0\t@3\t1\t%7\t2\ttty\t1\t0\t80\t24\t0\t0\tn");
    REQUIRE(row);
    CHECK(row->tag == tag);
    CHECK_FALSE(row->tab);
  }
}

TEST_CASE("rows: names come back as they were given") {
  CHECK(unescape_tmux_name(R"(a\\b)") == "a\\b");
  CHECK(unescape_tmux_name(R"(tab\there)") == "tab\there");
  CHECK(unescape_tmux_name(R"(\303\274ber)") == "\303\274ber");
  CHECK(unescape_tmux_name("end\\") == "end\\");
  CHECK(unescape_tmux_name(R"(\$HOME)") == "$HOME");
  CHECK(unescape_tmux_name("\303\274") == "\303\274");
}
