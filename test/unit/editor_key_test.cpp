// What a shell's line editor tells of a half-typed line: shell/editor_key.hpp.

#include "shell/editor_key.hpp"
#include "shell/shell_quoting.hpp"

#include <doctest/doctest.h>

#include <string>

namespace terminally {
namespace {

using namespace std::string_literals;

TEST_CASE("an answer in part is none") {
  CHECK_FALSE(decode_half_typed(ShellKind::bash, ""));
  CHECK_FALSE(decode_half_typed(ShellKind::bash, "ls"));
  CHECK_FALSE(decode_half_typed(ShellKind::bash, "ls\0"s));
  CHECK_FALSE(decode_half_typed(ShellKind::bash, "ls\0> "s));
  CHECK_FALSE(decode_half_typed(ShellKind::zsh, "ls\n"));
}

TEST_CASE("each shell tells its own way, byte for byte") {
  const auto bash = decode_half_typed(ShellKind::bash, "a \n\t\xff\0> \0"s);
  REQUIRE(bash);
  CHECK(bash->text == "a \n\t\xff");
  CHECK(bash->next_prompt == "> ");
  CHECK_FALSE(bash->whole);
  const auto zsh = decode_half_typed(ShellKind::zsh, "for i; do\nls \n\0"s);
  REQUIRE(zsh);
  CHECK(zsh->text == "for i; do\nls \n");
  CHECK(zsh->whole);
  const auto fish = decode_half_typed(ShellKind::fish, "for i\n\n\0"s);
  REQUIRE(fish);
  CHECK(fish->text == "for i\n");
}

TEST_CASE("bash's line is a whole command behind the prompt that comes first") {
  CHECK(drawn_prompt("\r\x1b[K\r\x1b[1mme:~$\x1b[0m ") == "me:~$");
  CHECK(drawn_prompt("\r\x1b[K\r\x1bM\x1b[K\r/tmp\r\n$ ") == "$");
  CHECK(drawn_prompt("\r\x1b[K\r").empty());
  CHECK(drawn_prompt("half a line").empty());
  HalfTyped half;
  half.text = "ls";
  half.prompt = "$";
  half.next_prompt = "> ";
  CHECK(is_first_line(half, "$"));
  CHECK_FALSE(is_first_line(half, "me:~$"));
  CHECK_FALSE(is_first_line(half, ""));
  half.next_prompt = "\x01\x1b[1m\x02$\x01\x1b[0m\x02 ";
  CHECK_FALSE(is_first_line(half, "$"));
}

TEST_CASE("a terminal is an editor's only as that makes it") {
  TerminalMode readline;
  readline.cr_is_enter = false;
  CHECK(is_of_editor(ShellKind::bash, readline));
  CHECK(is_of_editor(ShellKind::fish, readline));
  CHECK_FALSE(is_of_editor(ShellKind::zsh, readline));
  CHECK_FALSE(is_of_editor(ShellKind::posix, readline));
  TerminalMode zle;
  zle.newline_is_cr = true;
  CHECK(is_of_editor(ShellKind::zsh, zle));
  TerminalMode read_one;  // bash's and zsh's `read -s -n 1`
  CHECK_FALSE(is_of_editor(ShellKind::bash, read_one));
  CHECK_FALSE(is_of_editor(ShellKind::zsh, read_one));
  for (TerminalMode mode : {readline, zle}) {
    mode.echo = true;
    CHECK_FALSE(is_of_editor(ShellKind::bash, mode));
    mode.echo = false;
    mode.line = true;
    CHECK_FALSE(is_of_editor(ShellKind::zsh, mode));
  }
}

TEST_CASE("what is put back is a word, whatever it has") {
  CHECK(
      putting_script(ShellKind::bash, quoted_for(ShellKind::bash, "it's @ANSWER@ __TEXT__"), "/run/3.answer")
          .find(R"(READLINE_LINE='it'\''s @ANSWER@ __TEXT__' )") != std::string::npos);
  CHECK(putting_script(ShellKind::zsh, "'ls'", "/run/@TEXT@/__TEXT__").find("'/run/@TEXT@/__TEXT__'") !=
        std::string::npos);
  CHECK(telling_script(ShellKind::zsh, "/run/@TEXT@/__TEXT__").find("'/run/@TEXT@/__TEXT__'") !=
        std::string::npos);
  CHECK(quoted_for(ShellKind::fish, R"(it's \)") == R"('it\'s \\')");
}

}  // namespace
}  // namespace terminally
