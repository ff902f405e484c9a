// The echo of what was typed, as shells and programs show it (bytes of real ones), and what is none.
#include "text/typed_echo.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

#include "text/typed_text.hpp"

using namespace terminally;
using EchoedBy = TypedInput::EchoedBy;

namespace {

TypedInput by_terminal(std::string_view text) {
  return {EchoedBy::terminal, false, text.ends_with('\n'), "", echoed_lines(text)};
}

TypedInput by_program(std::string_view text) {
  return {EchoedBy::program, false, text.ends_with('\n'), "", echoed_lines(text)};
}

TypedInput in_editor(std::string_view text) {
  return {EchoedBy::program, true, text.ends_with('\n'), "", echoed_lines(text)};
}

/// What is left of the bytes without their echoes, and the blanks before those.
std::string printed(std::string_view bytes, const TypedInput& input, bool late = true) {
  std::string left;
  std::size_t at = 0;
  for (const EchoRange& range : echoes(bytes, input, late)) {
    left += bytes.substr(at, range.begin - at);
    at = range.end;
  }
  return left + std::string(bytes.substr(at));
}

/// The first moment at which something of the echo is printed: wherever the log, which comes behind, stood
/// when the text was typed (in `before`, at the end of which it was), whoever was seen to echo, and however
/// much of the echo has come. Empty: none.
std::string moment_that_shows(std::string_view what, std::string_view text, const std::string& before,
                              const std::string& echo) {
  const std::string bytes = before + echo;
  for (std::size_t from = 0; from <= before.size(); ++from) {
    if (from != 0 && from != before.size() && bytes[from] != '\033') {
      continue;
    }
    const std::string_view log = std::string_view(bytes).substr(0, from);
    const bool edited = takes_pasted_lines(log);
    for (const EchoedBy by : {EchoedBy::terminal, EchoedBy::program}) {
      const TypedInput input = {by, edited, true, prompt_letters(log), echoed_lines(text)};
      for (std::size_t to = before.size() + 1; to <= bytes.size(); ++to) {
        for (const bool late : {false, true}) {
          const std::string left = printed(std::string_view(bytes).substr(from, to - from), input, late);
          if (left.find(what) != std::string::npos) {
            return "from " + std::to_string(from) + " to " + std::to_string(to) + ": " + left;
          }
        }
      }
    }
  }
  return "";
}

}  // namespace

TEST_CASE("typed echo: what shells and programs show of a line (S2)") {
  const TypedInput line = in_editor("sleep 1; echo READY\n");
  CHECK(printed("sleep 1; echo READY\r\n\033[?2004l\rREADY\r\n", line) == "\rREADY\r\n");
  // zsh
  CHECK(printed("s\bsleep 1; echo READY\033[?1l\033>\033[?2004l\r\r\nREADY\r\n", line) == "\r\r\nREADY\r\n");
  // fish draws its prompt anew, and the line twice
  CHECK(
      printed("\033]0;~\a\033[92mroot\033[m@vm \033[31m~\033[m# \033[K\r\033[11Csleep "
              "\r\033[17C1;\r\033[19C \r\033[20Cecho \r\033[25CREADY\r\033[30C\033[19D\033[34msleep\033[30m "
              "\033[36m1\033[32m;\033[30m \033[34mecho\033[30m \033[36mREADY\r\033[30C\033[m\r\n\033[30m"
              "\033[?2004l\033[m\rREADY\r\n",
              line) == "\033[m\rREADY\r\n");
  // the editor still had the line before
  CHECK(printed("sleep 1\r\n\033[?2004l\r\033[?2004h$ sleep 1; echo READY\r\n\033[?2004l\rREADY\r\n", line) ==
        "\r\033[?2004h\rREADY\r\n");
  CHECK(printed("sleep 1\r\n\033[?2004l\r\033[?2004h# sleep 1; echo READY\033[19Dsleep 1; echo "
                "READY\r\n\033[?2004l\rREADY\r\n",
                line) == "\r\033[?2004h\rREADY\r\n");
  // the prompt comes after the line was typed
  CHECK(printed("\033[?2004h$ sleep 1; echo READY\r\n\033[?2004l\rREADY\r\n",
                by_program("sleep 1; echo READY\n")) == "\033[?2004h\rREADY\r\n");
  CHECK(printed("sleep 1; echo READY\r\nREADY\r\n# ", by_terminal("sleep 1; echo READY\n")) == "READY\r\n# ");
  // node has no bracketed paste
  CHECK(printed("console.log('READY')\r\r\nREADY\r\n", by_program("console.log('READY')\n")) == "READY\r\n");
  // wrapped by an editor
  CHECK(printed("echo RE \rADY\r\nREADY\r\n", by_program("echo READY\n")) == "READY\r\n");
  // typed ahead: by the terminal, and again by the editor
  CHECK(printed("echo READY\r\nbusy\r\n\033[?2004h$ echo READY\r\n\033[?2004l\rREADY\r\n",
                by_terminal("echo READY\n")) == "busy\r\n\033[?2004h\rREADY\r\n");
}

TEST_CASE("typed echo: at no moment is it printed, wherever the log was when it was typed (S2)") {
  const std::string text = "sleep 1; echo READY\n";
  const auto shows = [&](const std::string& before, const std::string& echo) {
    return moment_that_shows("READY", text, before, echo);
  };
  // "sleep 1" was typed just before, and is shown first
  const std::string bash = "\033[?2004h$ sleep 1\r\n\033[?2004l\r";
  CHECK(shows(bash, "\033[?2004h$ sleep 1; echo READY\r\n\033[?2004l\r") == "");
  CHECK(shows(bash, "sleep 1; echo READY\r\n\033[?2004h$ sleep 1; echo READY\r\n\033[?2004l\r") == "");
  const std::string zsh_prompt = "\033[1m\033[7m#\033[27m\033[1m\033[0m   \r \r\r\033[J$ \033[K\033[?2004h";
  const std::string zsh = zsh_prompt + "s\bsleep 1\033[?2004l\r\r\n";
  CHECK(shows(zsh, zsh_prompt + "s\bsleep 1; echo READY\033[?2004l\r\r\n") == "");
  // fish draws the line twice, and is not left at once
  const std::string fish_prompt =
      "⏎   \r⏎ \r\033[K\033[?2004h\033]0;~\a\033[92mroot\033[m@vm# \033[K\r\033[11C";
  const std::string fish = fish_prompt +
                           "sleep \r\033[17C1\r\033[18C\033[7D\033[34msleep\033[30m "
                           "\033[36m1\r\033[18C\r\n\033[30m\033[?2004l\033]0;sleep 1 ~\a\r";
  CHECK(shows(fish, fish_prompt + "sleep \r\033[17C1;\r\033[19C \r\033[20Cecho \r\033[25CREADY\r\033[30C"
                                  "\033[19D\033[34msleep\033[30m \033[36m1\033[32m;\033[30m \033[34mecho "
                                  "\033[36mREADY\r\033[30C\033[m\r\n\033[30m\033[?2004l\r") == "");
}

TEST_CASE("typed echo: lines that are pasted before the log has the prompt (S2)") {
  const std::string_view text = "sleep 1\necho READY\n";
  CHECK(moment_that_shows("READY", text, "\r\n\033[?2004h$ ",
                          "\033[7msleep 1\033[27m\r\n\r\033[7mecho READY\033[27m\033M\r\033[C\033[Csleep 1"
                          "\r\n\recho READY\r\n\033[?2004l\r") == "");
  CHECK(moment_that_shows("READY", text, "\r \r\r\033[J$ \033[K\033[?1h\033=\033[?2004h",
                          "\033[7msleep 1\033[27m\r\r\n\033[7mecho READY\033[27m\033[K\033M\033[7D\033[27ms"
                          "\033[27mleep 1\033[1B\r\033[27me\033[27mcho READY\033[?2004l\r\r\n") == "");
}

TEST_CASE("typed echo: a right prompt that fish draws behind each piece (S2)") {
  const std::string right = "\r\033[109Cright 12:00\r\033[109C\r";
  const std::string drawn = "\033[?2004h# " + right + "sleep " + right + "1;" + right + " " + right +
                            "echo " + right + "READY" + right + "\033[19Dsleep 1; echo READY" + right +
                            "\r\n";
  const TypedInput ahead = by_terminal("sleep 1; echo READY\n");
  for (std::size_t size = 1; size <= drawn.size(); ++size) {
    CAPTURE(size);
    CHECK(printed(drawn.substr(0, size), ahead, false).find("READY") == std::string::npos);
  }
  CHECK(printed(drawn + "\033[?2004l\rREADY\r\n", ahead) == "\033[?2004h\rREADY\r\n");
}

TEST_CASE("typed echo: what an editor has taken is echoed no more (S2)") {
  CHECK(printed("READY\r\n\033[?2004l\rbash: READY: command not found\r\n", in_editor("READY\n")) ==
        "\rbash: READY: command not found\r\n");
  CHECK(printed("READY\r\n\033[?2004l\rREADY\r\n", in_editor("READY\n")) == "\rREADY\r\n");
  // nor is it what a terminal echoes where more stands behind it
  CHECK(printed("READY soon\r\nok? READY\r\nREADY\r\n", by_terminal("READY\n")) ==
        "READY soon\r\nok?READY\r\n");
}

TEST_CASE("typed echo: several lines (S2)") {
  const std::string_view loop = "for i in 1 2; do\necho READY$i\ndone\n";
  CHECK(printed("\033[7mfor i in 1 2; do\033[27m\r\n\r\033[7mecho "
                "READY$i\033[27m\r\n\r\033[7mdone\033[27m\033M\033M"
                "for i in 1 2; do\r\n\recho READY$i\r\n\rdone\r\n\033[?2004l\rREADY1\r\n",
                in_editor(loop)) == "\rREADY1\r\n");
  // python's continuation prompts
  CHECK(printed("for i in a:\r\n...     print('READY')\r\n... \r\nREADY\r\n>>> ",
                by_program("for i in a:\n    print('READY')\n\n")) == "...... \r\nREADY\r\n>>> ");
  CHECK(printed("one\r\nREADY\r\none\r\nREADY\r\n", by_terminal("one\nREADY\n")) == "one\r\nREADY\r\n");
  // what is printed between them
  CHECK(printed("select 1;\r\nREADY\r\n> select 2;\r\n2\r\n", by_program("select 1;\nselect 2;\n")) ==
        "READY\r\n2\r\n");
}

TEST_CASE("typed echo: more lines than a terminal keeps unread, whose echo is broken (S2)") {
  const TypedInput lines = by_terminal("true\n: first xxx\n: second xxx\n: third xxx\necho READY\n");
  const std::string echo = "true\r\n: first xxx\r\n: sec# # # ond xxx\r\n: third xxx\r\necho READY\r\n";
  CHECK(printed(echo + "# # READY\r\n", lines) == ": sec# # # ond xxx\r\n# # READY\r\n");
  for (std::size_t size = 1; size <= echo.size(); ++size) {
    CAPTURE(size);
    CHECK(printed(echo.substr(0, size), lines, false).find("READ") == std::string::npos);
  }
}

TEST_CASE("typed echo: a line that is longer than a row, where no paste is taken (S2)") {
  const auto words = [](int count) {
    std::string text;
    for (int i = 0; i < count; ++i) {
      text += "long ";
    }
    return text;
  };
  const TypedInput line = by_program("sleep 1; echo " + words(10) + "READY\n");
  const std::string output = "\r" + words(10) + "READY\r\n# ";
  // mksh scrolls, and so does readline on a dumb terminal
  const std::string mksh = "sleep 1; echo " + words(4) + "lo\rng " + words(3) +
                           "lo         <\b\b\b\b\b\b\b\b\b\bng " + words(2) + "READY     <\b\b\b\b\b\b\r\r\n";
  CHECK(printed(mksh + output, line) == output);
  CHECK(printed("\r<g " + words(6) + "READY\r\n" + output, line) == output);
  CHECK(printed("sleep 1; echo long\r<g " + words(6) + "READY\r\n" + output, line) == output);
  // fish goes back and forth between its rows, and draws all of them anew
  const std::string fish = "sleep \r\033[17C1;\r\033[19C \r\033[20Cecho " + words(4) +
                           "\r\r\n\033M\033[118Cg long \033M\r\r\n\033[5C" + words(4) +
                           "\033M\r\r\n\033[20CREADY\033M\r\r\n\033[30C";
  const std::string fish_again = "\033M\033[19Dsleep 1; echo " + words(10) + "READY\033M\r\r\n\033[30C\r\n";
  CHECK(printed(fish + fish_again + output, line) == "\033[30C\r\n" + output);
  CHECK(printed(fish + "\r\n" + output, line) == output);
  const std::string third = "\033M\r\r\n\033[115C" + words(1) + "\r\033M\r\n\r\n\033M\033[118Cg " + words(1) +
                            "\033M\033M\r\r\n\r\n\033[5CREADY\033M\033M\r\r\n\r\n\033[10C\r\n";
  CHECK(printed(fish + third + output, line) == output);
  // typed ahead: the editor shows it again
  const std::string welcome = "sleep 1; echo " + words(10) + "READY\r\nWelcome\r\n\033[?2004h";
  CHECK(printed(welcome + "# " + fish + fish_again + "\033[?2004l" + output,
                by_terminal("sleep 1; echo " + words(10) + "READY\n")) == "Welcome\r\n\033[?2004h" + output);
  // in a later line, behind a prompt
  CHECK(printed("true\r\n# " + mksh + output, by_program("true\nsleep 1; echo " + words(10) + "READY\n")) ==
        "#" + output);
  // no moment shows READY of the echo
  for (const std::string& drawn : {mksh, fish + fish_again}) {
    for (std::size_t size = 1; size <= drawn.size(); ++size) {
      CAPTURE(size);
      const std::string left = printed(drawn.substr(0, size), line, false);
      CHECK(left.find("READ") == std::string::npos);
    }
  }
  // a program that echoes nothing, and prints a piece; a prompt
  CHECK(printed("READY\r\n", line) == "READY\r\n");
  CHECK(printed("sleepy READY\r\n", line) == "sleepy READY\r\n");
  CHECK(echoes(">>> ", line, false).empty());
}

TEST_CASE("typed echo: a program that echoes nothing loses nothing (S2)") {
  const TypedInput password = {EchoedBy::nobody, false, true, "", echoed_lines("READY\n")};
  CHECK(printed("\r\nREADY\r\n", password) == "\r\nREADY\r\n");
  CHECK(printed("got READY\r\n", by_program("READY\n")) == "got READY\r\n");
  CHECK(printed("\r\nREADY\r\n", by_program("READY\n")) == "\r\nREADY\r\n");
  CHECK(printed("READY\r\ngot READY\r\n", by_terminal("READY\n")) == "got READY\r\n");
  // an answer without Enter: what is printed stands in the same line
  CHECK(printed("y READY\r\n", by_terminal("y")) == " READY\r\n");
  // vim takes pastes, and is not left by an Enter
  CHECK(printed("\033[1;1HREADY", in_editor(":e x\n")) == "\033[1;1HREADY");
  // the prompt that comes back is no echo
  CHECK(printed("y\r\n\033[?2004huser@my $ ", by_terminal("y\n")) == "\033[?2004huser@my $ ");
}

TEST_CASE("typed echo: an editor that is not left goes on printing behind the line (S2)") {
  const std::string prompt = "\033[?2004h\033]0;read ~\a\033[30m\033[mread> \033[K\r\033[6C";
  const std::string echo = "yes \r\033[10Cplease \r\033[17Csir\r\033[20C\r\n";
  const std::string answer = "\033[30m\033[m\017\033[2m⏎\033[m\017        \r⏎ \r\033[Kgot yes please sir\r\n";
  const std::string_view text = "yes please sir\n";
  CHECK(moment_that_shows("sir", text, prompt, echo) == "");
  CHECK(printed(echo + answer, in_editor(text), false) == answer);
  CHECK(printed(echo + answer + "\033[?2004h$ true\r\n\033[?2004l\r", in_editor(text)) ==
        answer + "\033[?2004h$ true\r\n\033[?2004l\r");
  CHECK(printed(prompt + echo + answer, by_terminal(text), false) == "\033[?2004h" + answer);
  // another row that the editor shows, and comes back from
  const std::string menu = "yes please sir\r\nyes please sir or not\033[A\033[14C";
  CHECK(printed(menu, in_editor(text), false) == "");
  CHECK(printed(menu + "\r\n\033[?2004l\r" + answer, in_editor(text)) == "\r" + answer);
  // more lines are to come
  CHECK(printed("yes\r\nplease", in_editor("yes\nplease\nsir\n"), false) == "");
}

TEST_CASE("typed echo: a program that reads keys echoes where it draws a row, if at all (S2)") {
  const TypedInput keys = {EchoedBy::drawing, false, true, "", echoed_lines("yes please\n")};
  for (const std::string_view answer : {"yes please\r\n", "got: yes please\r\n", "\r\nyes please\r\n"}) {
    for (std::size_t size = 1; size <= answer.size(); ++size) {
      CHECK(echoes(answer.substr(0, size), keys, false).empty());
    }
  }
  // redis-cli
  CHECK(printed("\r> yes pleas\033[0K\r\033[12C\r> yes please\033[0K\r\033[13C\r\nyes please\r\n", keys) ==
        "yes please\r\n");
}

TEST_CASE("typed echo: a line that a program draws again behind its prompt (S2)") {
  TypedInput typed = by_program("READY\n");
  typed.prompt = prompt_letters("\033[2J\033[3;1HREADY or not?\r\n\033[24;1H\033[1m> \033[K");
  CHECK(typed.prompt == ">");
  const std::string draws = "\033[24;1H\033[K> REA\033[24;1H\033[K> READY\033[1;1Htitle\033[24;1H> READY";
  for (std::size_t size = 1; size <= draws.size(); ++size) {
    CAPTURE(size);
    CHECK(printed(draws.substr(0, size), typed).find("REA") == std::string::npos);
  }
  CHECK(printed(draws + "\033[3;1HREADY", typed).ends_with("\033[3;1HREADY"));
  // the prompt alone
  CHECK(printed("READY\r\nok\r\n\033[24;1H> ", typed) == "ok\r\n\033[24;1H> ");
}

TEST_CASE("typed echo: typed ahead, and shown again by an editor that takes no pastes (S2)") {
  TypedInput typed = by_terminal("time.sleep(1); print('DONE')\n2 + 3\n");
  typed.prompt = ">>>";
  const std::string python =
      "time.sleep(1); print('DONE')\r\n2 + 3\r\n>>> time.sleep(1); print('DONE')\r\nDONE\r\n>>> 2 + "
      "3\r\n5\r\n>>> ";
  CHECK(printed(python, typed) == "\r\nDONE\r\n5\r\n>>> ");
  for (std::size_t size = 1; size < python.find("\r\nDONE"); ++size) {
    CAPTURE(size);
    CHECK(printed(python.substr(0, size), typed, false).find("DON") == std::string::npos);
  }
  CHECK(printed("2 + 3\r\n>>> time\r\n>>> 2\r\n", typed).ends_with(">>> 2\r\n"));
}

TEST_CASE("typed echo: what is not all there yet") {
  const auto open = [](std::string_view bytes, const TypedInput& input) {
    const auto ranges = echoes(bytes, input, false);
    return !ranges.empty() && ranges.back().open && ranges.back().end == bytes.size();
  };
  CHECK(open("echo READY", by_terminal("echo READY; sleep 5\n")));
  CHECK(open("echo READY", by_program("echo READY; sleep 5\n")));
  CHECK(open("$ echo READY and a suggestion", in_editor("echo READY; sleep 5\n")));
  CHECK(open("$ echo READY", by_program("echo READY; sleep 5\n")));
  CHECK_FALSE(open("got READY", by_program("READY?\n")));
  CHECK(echoes("echo READY", by_terminal("echo READY; sleep 5\n"), true).empty());
}

TEST_CASE("typed echo: what keys type") {
  CHECK(typed_by_keys({"e", "c", "Space", "R", "Enter"}) == "ec R\n");
  CHECK(typed_by_keys({"Up", "enter", "é", "C-m"}) == "\né\n");
  CHECK(typed_by_keys({"a", "Enter", "b", "Left"}) == "a\n");
  CHECK(echoed_lines("a b\tc\n\n \n\x03"
                     "d\n") == std::vector<std::string>{"abc", "^Cd"});
}
