#include "shell/shells.hpp"

#include <doctest/doctest.h>

#include <string>

#include "base/digests.hpp"
#include "shell/shell_text.hpp"

using namespace terminally;

namespace {

ShellCommand command(const std::string& text) {
  ShellCommand made;
  made.text = text;
  made.nonce = "0123456789abcdef0123456789abcdef";
  made.directory = "/tmp/a b/it's";
  made.helper = "/opt/terminally-shell";
  return made;
}

}  // namespace

TEST_CASE("shells: known by the name of their program") {
  CHECK(shell_kind("bash") == ShellKind::bash);
  CHECK(shell_kind("-zsh") == ShellKind::zsh);
  CHECK(shell_kind("/usr/bin/fish") == ShellKind::fish);
  CHECK(shell_kind("/bin/dash") == ShellKind::posix);
  CHECK_FALSE(shell_kind("bashful"));
  CHECK_FALSE(shell_kind("python3"));
  CHECK_FALSE(shell_kind(""));
}

TEST_CASE("shells: nothing of the user's text is typed, in any shell (T5)") {
  for (const ShellKind kind : {ShellKind::bash, ShellKind::zsh, ShellKind::posix, ShellKind::fish}) {
    const ShellScript script = shell_script(kind, command("echo SECRET; $(reboot) `x`\nsecond 'line'"));
    for (const std::string& line : {script.typed_line, script.mending_line, script.probe_line}) {
      CAPTURE(line);
      CHECK(line.find("SECRET") == std::string::npos);
      CHECK(line.find("reboot") == std::string::npos);
      CHECK(line.find_first_of("\r\n") == std::string::npos);
    }
    CHECK_FALSE(script.typed_line.empty());
    bool text_in_a_file = false;
    for (const ShellScript::File& file : script.files) {
      CHECK(file.path.parent_path() == "/tmp/a b/it's");
      text_in_a_file = text_in_a_file || file.content.find("echo SECRET; $(reboot) `x`\nsecond 'line'") == 0;
    }
    CHECK(text_in_a_file);
  }
}

TEST_CASE("shells: in-line, short lines carry any text (T8)") {
  std::string text;
  for (int i = 0; i < 3'000; ++i) {
    text += static_cast<char>(1 + i % 255);
  }
  const auto lines = inline_lines(command(text));
  CHECK(lines.size() > 3);
  for (const std::string& line : lines) {
    CHECK(line.size() <= 1'000);
    CHECK(line.find_first_of("\r\n") == std::string::npos);
  }
}

TEST_CASE("shells: in-line, a part that is lost leaves no quote open (D1)") {
  const auto lines = inline_lines(command("echo 'a'; echo \"b\""));
  REQUIRE(lines.size() > 1);
  for (std::size_t i = 0; i + 1 < lines.size(); ++i) {
    CHECK(lines[i].ends_with('\\'));
    CHECK(lines[i].find_first_of("'\"`") == std::string::npos);
  }
}

TEST_CASE("shells: the checksum is that of cksum(1)") {
  CHECK(posix_checksum("") == 4'294'967'295U);
  CHECK(posix_checksum("123456789") == 930'766'865U);
}

TEST_CASE("shells: words of a POSIX shell") {
  CHECK(shell_word("plain/path-1.2_x") == "plain/path-1.2_x");
  CHECK(shell_word("a b") == "'a b'");
  CHECK(shell_word("it's") == "'it'\\''s'");
  CHECK(shell_word("").size() == 2);
}

TEST_CASE("shells: what a watcher sees holds no control characters and is bounded") {
  const std::string shown = command_for_display("a\n\tb\033[31m\x07 %s \\n");
  CHECK(shown.starts_with("$ a\\r\\n> "));
  for (const char c : shown) {
    CHECK(static_cast<unsigned char>(c) >= 0x20);
  }
  CHECK(command_for_display(std::string(1 << 20, 'x')).size() < 2'100);
  std::string many;
  for (int i = 0; i < 100; ++i) {
    many += "line\n";
  }
  CHECK(command_for_display(many).size() < 300);
}

TEST_CASE("shells: zsh's 126 of an error is told from one that the text may return") {
  const auto may_return = [](const std::string& text) {
    const std::string wrapper = shell_script(ShellKind::zsh, command(text)).files.front().content;
    return wrapper.find("case 1$__mcp_01234567_i") != std::string::npos;
  };
  for (const char* text :
       {"return 126", "return", "f; return $?", "[[ a ]] ||return\t126;", "return 1+125", "returns"}) {
    CAPTURE(text);
    CHECK(may_return(text));
  }
  for (const char* text :
       {"echo *.nomatch", "f() { return 1; }; echo *", "f() {\n return 0\n}", "return 12", "return 1 126"}) {
    CAPTURE(text);
    CHECK_FALSE(may_return(text));
  }
}
