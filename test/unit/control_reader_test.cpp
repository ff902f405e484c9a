#include "tmux/wire/control_reader.hpp"

#include <doctest/doctest.h>

#include <random>
#include <string>
#include <vector>

using namespace terminally;

namespace {

/// As tmux prints it: a block for each command, numbered through.
struct PrintedByTmux {
  std::string text;
  int number = 100;

  PrintedByTmux& block(const std::string& printed, bool error = false) {
    const std::string guard = " 1795427709 " + std::to_string(++number) + " 1\n";
    text += "%begin" + guard + printed + (error ? "%error" : "%end") + guard;
    return *this;
  }
  PrintedByTmux& notification(const std::string& line) {
    text += line + "\n";
    return *this;
  }
  PrintedByTmux& mark(std::uint64_t of, const std::string& secret = "5ec3e7") {
    return block("terminally:" + secret + ":" + std::to_string(of) + "\n");
  }
};

struct Reading {
  ControlReader reader{"5ec3e7"};
  std::vector<ControlReader::Answered> answers;

  explicit Reading(std::uint64_t operations = 1) {
    for (std::uint64_t number = 1; number <= operations; ++number) {
      static_cast<void>(reader.request("display-message", number));
    }
  }
  Reading& feed(std::string_view bytes) {
    for (auto& answer : reader.feed(bytes)) {
      answers.push_back(std::move(answer));
    }
    return *this;
  }
};

}  // namespace

TEST_CASE("control: an operation is its lists, a line each, and a mark behind them") {
  ControlReader reader("5ec3e7");
  CHECK(reader.request("kill-pane -t %1", 7) == "kill-pane -t %1\ndisplay-message -p terminally:5ec3e7:7\n");
  CHECK(reader.request("\n\na\n\nb\n", 8) == "a\nb\ndisplay-message -p terminally:5ec3e7:8\n");
}

TEST_CASE("control: at every split position the answers are the same, with notifications around them") {
  PrintedByTmux tmux;
  tmux.notification("%window-add @3").block("one\ntwo\n").block("").block("three\n").mark(1);
  tmux.notification("%window-renamed @3 %end 1795427709 106 1");
  tmux.block("can't find pane: %9\n", true).mark(2).notification("%layout-change @3 x").mark(3);
  tmux.block("last\n").mark(4).notification("%sessions-changed");
  for (std::size_t split = 0; split <= tmux.text.size(); ++split) {
    CAPTURE(split);
    Reading reading(4);
    reading.feed(std::string_view(tmux.text).substr(0, split))
        .feed(std::string_view(tmux.text).substr(split));
    REQUIRE(reading.answers.size() == 4);
    CHECK(reading.answers[0].number == 1);
    CHECK(reading.answers[0].answer.out == "one\ntwo\nthree\n");
    CHECK(reading.answers[0].answer.error.empty());
    CHECK(reading.answers[1].number == 2);
    CHECK(reading.answers[1].answer.error == "can't find pane: %9");
    CHECK(reading.answers[2].number == 3);
    CHECK(reading.answers[2].answer.out.empty());
    CHECK(reading.answers[2].answer.error.empty());
    CHECK(reading.answers[3].answer.out == "last\n");
  }
}

TEST_CASE("control: of a list that failed the error is told, and the first one") {
  PrintedByTmux tmux;
  tmux.block("printed\n").block("parse error: syntax error\n", true).block("another\n", true).mark(1);
  const Reading reading = Reading().feed(tmux.text);
  REQUIRE(reading.answers.size() == 1);
  CHECK(reading.answers[0].answer.error == "parse error: syntax error");
  CHECK(reading.answers[0].answer.out.empty());
  CHECK(Reading().feed(PrintedByTmux().block("", true).mark(1).text).answers[0].answer.error ==
        "a command failed");
}

TEST_CASE("control: what a program has painted ends no block and answers nothing") {
  std::mt19937 random(11);
  for (int round = 0; round < 2'000; ++round) {
    PrintedByTmux tmux;
    std::vector<std::string> printed(1 + random() % 3);
    for (std::string& text : printed) {
      const auto own = static_cast<unsigned>(tmux.number) + 1;
      for (int line = static_cast<int>(random() % 6); line > 0; --line) {
        const std::string guard = " 1795427709 " + std::to_string(own + random() % 5) + " 1\n";
        const std::vector<std::string> lines{
            "%begin" + guard,       "%end" + guard,         "%error" + guard, "\n",
            "terminally:other:1\n", "terminally:5ec3e7:\n", "%exit\n",        "terminally:5ec3e7:1 \n",
            " %end" + guard};
        text += lines[random() % lines.size()];
      }
      tmux.block(text);
    }
    tmux.mark(1).block("next\n").mark(2);
    Reading reading(2);
    for (std::size_t at = 0; at < tmux.text.size();) {
      const std::size_t size = 1 + random() % 40;
      reading.feed(std::string_view(tmux.text).substr(at, size));
      at += size;
    }
    CAPTURE(tmux.text);
    REQUIRE(reading.answers.size() == 2);
    std::string all;
    for (const std::string& text : printed) {
      all += text;
    }
    CHECK(reading.answers[0].answer.out == all);
    CHECK(reading.answers[0].answer.error.empty());
    CHECK(reading.answers[1].answer.out == "next\n");
  }
}

TEST_CASE("control: a mark out of its order is text, also one that somebody has read in tmux's messages") {
  PrintedByTmux tmux;
  tmux.block("terminally:5ec3e7:2\nterminally:5ec3e7:3\n").mark(1).block("second\n").mark(2).mark(2).mark(3);
  const Reading reading = Reading(3).feed(tmux.text);
  REQUIRE(reading.answers.size() == 3);
  CHECK(reading.answers[0].answer.out == "terminally:5ec3e7:2\nterminally:5ec3e7:3\n");
  CHECK(reading.answers[1].answer.out == "second\n");
}

TEST_CASE("control: it is attached once tmux says so") {
  ControlReader reader("5ec3e7");
  CHECK_FALSE(reader.attached());
  static_cast<void>(reader.feed("%begin 1 2 0\n%end 1 2 0\n%session-chan"));
  CHECK_FALSE(reader.attached());
  static_cast<void>(reader.feed("ged $0 tabs\n"));
  CHECK(reader.attached());
  ControlReader other("5ec3e7");
  static_cast<void>(other.feed("%begin 1 2 0\ncan't find session: $7\n%error 1 2 0\n%exit\n"));
  CHECK_FALSE(other.attached());
}

TEST_CASE("control: what comes while nothing is asked is no part of a later answer") {
  Reading reading(0);
  reading.feed("%window-add @1\n%begin 1 2 1\n%window-close");
  CHECK(reading.answers.empty());
  static_cast<void>(reading.reader.request("x", 1));
  reading.feed(" @1\n" + PrintedByTmux().block("mine\n").mark(1).text);
  REQUIRE(reading.answers.size() == 1);
  CHECK(reading.answers[0].answer.out == "mine\n");
}

TEST_CASE(
    "control: a change of windows or sessions is news, at every split position; what else is told is not") {
  const std::vector<std::string> news = {
      "%window-add @3",
      "%window-close @3",
      "%window-renamed @3 a",
      "%unlinked-window-add @3",
      "%unlinked-window-close @3",
      "%unlinked-window-renamed @3 a",
      "%session-window-changed $0 @3",
      "%session-changed $1 b",
      "%sessions-changed",
      "%session-renamed $1 c",
      "%layout-change @3 x y *",
      "%window-pane-changed @3 %4",
      "%exit",
      "%something-of-a-later-tmux",
  };
  const std::vector<std::string> none = {
      "%output %1 %window-add @3",
      "%extended-output %1 0 : x",
      "%pane-mode-changed %1",
      "%paste-buffer-changed terminally",
      "%paste-buffer-deleted terminally",
      "%client-session-changed /dev/pts/1 $0 main",
      "%client-detached /dev/pts/1",
      "%pause %1",
      "%continue %1",
      "",
      "window-add @3",
  };
  PrintedByTmux tmux;
  tmux.block("").mark(1);
  for (const std::string& line : none) {
    tmux.notification(line);
  }
  for (std::size_t split = 0; split <= tmux.text.size(); ++split) {
    Reading reading;
    reading.feed(std::string_view(tmux.text).substr(0, split))
        .feed(std::string_view(tmux.text).substr(split));
    REQUIRE(reading.reader.news() == 0);
  }
  for (const std::string& line : news) {
    CAPTURE(line);
    for (std::size_t split = 0; split <= line.size(); ++split) {
      Reading reading;
      reading.feed(line.substr(0, split));
      REQUIRE(reading.reader.news() == 0);
      reading.feed(line.substr(split) + "\n");
      REQUIRE(reading.reader.news() == 1);
    }
  }
}
