#include "log/own_lines.hpp"

#include <doctest/doctest.h>

#include <algorithm>

namespace terminally {
namespace {

const std::string kStarted =
    "\x1b[A\x1b[2K$ echo hi\r\r\n\x1b]133;C;mcp=START:0123456789abcdef0123456789abcdef\x07hi\r\n";
const std::string kRun = "/run/user/0/terminally-mcp/x";

std::string with_command_named(const std::string& text, const std::string& directory) {
  return edited(text, command_names(text, directory));
}

std::string without_echoes(const std::string& bytes) {
  return edited(bytes, typed_echoes(bytes));
}

TEST_CASE("own lines: the echo of a typed line is known in every shell (U9)") {
  const std::string path = kRun + "/01234567";
  CHECK(without_echoes("out$  \b\x1b[K \\builtin . " + path + "\r\n\x1b[?2004l\r\r" + kStarted) ==
        "out$\r\n\x1b[?2004l\r\r" + kStarted);
  CHECK(without_echoes("vm# \x1b[K\x1b[?2004h \b \b \\builtin \\. /run/us \r\x1b[Ke\rer/0/01234567\r\r\n\r" +
                       kStarted) == "vm# \x1b[K\x1b[?2004h\r\r\n\r" + kStarted);
  CHECK(without_echoes("$  ^E\b \b\b \b\b \b \\. " + path + "\r\n\r" + kStarted) == "$\r\n\r" + kStarted);
  CHECK(without_echoes("> builtin \r\x1b[20Csource \r\x1b[27C" + path +
                       "\r\r\n\x1b[34mbuiltin\x1b[m source " + path + "\r\n\x1b]0; builtin source\x07\r\r" +
                       kStarted) == ">\r\n\x1b]0; builtin source\x07\r\r" + kStarted);
  CHECK(without_echoes("$  __mcp_01234567_s=$? __mcp_01234567_b=abc\\\r\n> def\\\r\n> ; \\eval "
                       "\"$__mcp_01234567_b\"\r\n\r" +
                       kStarted) == "$\r\n\r" + kStarted);
}

TEST_CASE("own lines: what is printed between the echo and START stays, and what only looks like ours") {
  const std::string path = kRun + "/01234567";
  CHECK(without_echoes("$ \\builtin . " + path + "\r\n[1]+ Done\r\n\r" + kStarted) ==
        "$\r\n[1]+ Done\r\n\r" + kStarted);
  for (const std::string& text :
       {"$ \\builtin . " + path + "\r\nhi\r\n", std::string("nothing\r\n\r") + kStarted, kStarted,
        "\\. x\r\n\x1b]133;D;0;mcp=END:aa\x07$ echo\r\n\r" + kStarted}) {
    CHECK(without_echoes(text) == text);
  }
}

TEST_CASE("own lines: a split anywhere leaves no part that was not there") {
  const std::string bytes = "out$  \b\x1b[K \\builtin . " + kRun + "/01234567\r\n\x1b[?2004l\r\r" + kStarted;
  for (std::size_t at = 0; at <= bytes.size(); ++at) {
    const std::string left = without_echoes(bytes.substr(0, at));
    const std::string right = without_echoes(bytes.substr(at));
    CHECK(left.size() + right.size() <= bytes.size());
    CHECK(right.ends_with(bytes.substr(std::max(at, bytes.size() - 4))));
  }
}

TEST_CASE("own lines: the text of a command is called command (U9)") {
  const std::string path = kRun + "/01234567";
  CHECK(with_command_named("bash: " + path + "u: line 3: syntax error\n", kRun) ==
        "bash: command: line 3: syntax error\n");
  CHECK(with_command_named(path + "u:1: not found\r\n" + path + "u:2: no", kRun) ==
        "command:1: not found\r\ncommand:2: no");
  CHECK(with_command_named("a\r\nfrom sourcing file " + path + "u\r\n\tcalled on line 32 of file " + path +
                               "\r\nfrom sourcing file " + path + "\r\nb\r\n",
                           kRun) == "a\r\nfrom sourcing file command\r\nb\r\n");
  for (const std::string& text : {"x " + path, path + "x", kRun + "/0123456gu", kRun + "/other", kRun + "/",
                                  std::string("/0123456u")}) {
    CHECK(with_command_named(text, kRun) == text);
  }
  CHECK(with_command_named(path + "u", "") == path + "u");
}

TEST_CASE("S7: our files are known where a shell has a tilde for the beginning of their directory") {
  for (const char* directory :
       {"~/terminally-mcp/x", "~run/terminally-mcp/x", "~/x", "~/user/0/terminally-mcp/x"}) {
    CAPTURE(directory);
    const std::string path = std::string(directory) + "/01234567";
    CHECK(with_command_named(path + "u (line 1): \r\ncd /nope\r\nfrom sourcing file " + path +
                                 "u\r\n\tcalled on line 32 of file " + path + "\r\nb ~\r\n",
                             kRun) ==
          "command (line 1): \r\ncd /nope\r\nfrom sourcing file command\r\nb ~\r\n");
    for (std::size_t at = 1; at < path.size(); ++at) {  // it may go on
      CHECK(unfinished_name("cd: " + path.substr(0, at), kRun, true) <= 4);
    }
  }
  for (const std::string& text : {std::string("~/other/01234567u"), std::string("~x/01234567u"),
                                  std::string("~/y/x/01234567u"), std::string("~/01234567u")}) {
    CHECK(with_command_named(text, kRun) == text);
  }
  CHECK(unfinished_name("~/src ", kRun, true) == 6);
  CHECK(unfinished_name("~/z", kRun, true) == 3);
}

}  // namespace
}  // namespace terminally
