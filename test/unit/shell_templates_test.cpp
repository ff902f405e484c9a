// What the scripts in src/shell/scripts become: shell/shell_templates.hpp, and shells.hpp with its values in
// them.

#include "shell/shell_templates.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "log/own_lines.hpp"
#include "places.hpp"
#include "shell/shells.hpp"

namespace terminally {
namespace {

constexpr std::array kShells = {ShellKind::bash, ShellKind::zsh, ShellKind::posix, ShellKind::fish};
const std::string kScriptNonce = "0123456789abcdef0123456789abcdef";

std::vector<std::string_view> scripts_in(const ShellTemplate& shell) {
  return {shell.source, shell.mend, shell.wrapper, shell.prologue,   shell.epilogue,
          shell.end,    shell.hook, shell.cd,      shell.completions};
}

/// By the folder.
std::map<std::string, std::vector<std::string_view>> embedded() {
  const InlineTemplate& in_line = inline_template();
  return {
      {"bash", scripts_in(shell_template(ShellKind::bash))},
      {"zsh", scripts_in(shell_template(ShellKind::zsh))},
      {"posix", scripts_in(shell_template(ShellKind::posix))},
      {"fish", scripts_in(shell_template(ShellKind::fish))},
      {"inline", {in_line.typed, in_line.payload, in_line.run, in_line.epilogue, in_line.end, in_line.cd}}};
}

std::string without_comments(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::string text;
  for (std::string line; std::getline(in, line);) {
    line.erase(0, line.find_first_not_of(" \t"));
    text += line.starts_with('#') ? "" : line + "\n";
  }
  return text;
}

ShellScript script_of(ShellKind kind, bool exit_lost = false) {
  ShellCommand command;
  command.text = "TEXT";
  command.nonce = kScriptNonce;
  command.directory = "/run/x";
  command.helper = "/opt/terminally-shell";
  command.exit_lost = exit_lost;
  command.previous_exit = 7;
  return shell_script(kind, command);
}

std::string file_of(const ShellScript& script, const std::string& name) {
  const auto file = std::ranges::find(script.files, "/run/x/01234567" + name,
                                      [](const ShellScript::File& any) { return any.path.string(); });
  return file == script.files.end() ? "" : file->content;
}

}  // namespace

TEST_CASE("shell templates: each file is there as it stands, but for its comments and indentation") {
  std::size_t files = 0;
  for (const auto& [folder, scripts] : embedded()) {
    for (const auto& entry : std::filesystem::directory_iterator(test::kScripts + "/" + folder)) {
      CAPTURE(entry.path().string());
      const std::string expected = without_comments(entry.path());
      CHECK_FALSE(expected.empty());
      CHECK(std::ranges::count(scripts, expected) >= 1);
      ++files;
    }
    files -=
        static_cast<std::size_t>(std::ranges::count_if(scripts, [](auto text) { return !text.empty(); }));
  }
  CHECK(files == 0);
}

TEST_CASE("shell templates: every name has its value") {
  const std::regex left("__[A-Z][A-Z0-9_]*__");
  for (const ShellKind kind : kShells) {
    for (const bool exit_lost : {false, true}) {
      const ShellScript script = script_of(kind, exit_lost);
      std::string all = script.typed_line + script.mending_line + script.probe_line;
      all += cd_command(kind, "/tmp");
      for (const ShellScript::File& file : script.files) {
        all += file.content;
      }
      CHECK_FALSE(std::regex_search(all, left));
    }
  }
}

TEST_CASE("shell templates: START stands before the text, which is taken before, and END behind it") {
  for (const ShellKind kind : kShells) {
    const ShellScript script = script_of(kind);
    const std::string wrapper = file_of(script, "");
    const std::string end = kind == ShellKind::zsh ? wrapper : file_of(script, "e");
    const std::size_t taken = wrapper.find("/run/x/01234567t");
    const std::size_t start = wrapper.find("]133;C;mcp=START:" + kScriptNonce);
    const std::size_t text = wrapper.find("/run/x/01234567u");
    const std::size_t ends =
        wrapper.find(kind == ShellKind::zsh ? "]133;D;%s;mcp=END:" + kScriptNonce : "/run/x/01234567e", text);
    CHECK(taken < start);
    CHECK(start < text);
    CHECK(text < ends);
    CHECK(ends < wrapper.size());
    CHECK(end.find("]133;D;%s;mcp=END:" + kScriptNonce) < end.find("/run/x/" + kScriptNonce + ".exit"));
    CHECK(end.find("/run/x/01234567c") != std::string::npos);  // what says that it was cancelled
  }
}

TEST_CASE("shell templates: what a shell has besides") {
  CHECK(file_of(script_of(ShellKind::posix), "p").find(";by=hook") != std::string::npos);
  CHECK(file_of(script_of(ShellKind::bash), "e").find(";by=hook") != std::string::npos);
  CHECK(file_of(script_of(ShellKind::fish), "e").find(";by=hook") != std::string::npos);
  CHECK(file_of(script_of(ShellKind::zsh), "").find(";by=hook") != std::string::npos);
  CHECK(file_of(script_of(ShellKind::bash), "u") ==
        "TEXT\n{ __mcp_01234567_r=$? __mcp_01234567_l=\"${PIPESTATUS[@]}:$_\"; } >/dev/null 2>&1\n");
  CHECK(file_of(script_of(ShellKind::posix), "u") == "TEXT\n{ __mcp_01234567_r=$?; } >/dev/null 2>&1\n");
  CHECK(file_of(script_of(ShellKind::zsh), "u") ==
        "TEXT\n__mcp_01234567_r=$? __mcp_01234567_l=(\"$_\" \"${pipestatus[@]}\")\n");
  CHECK(file_of(script_of(ShellKind::fish), "u") == "TEXT\nset -g __mcp_01234567_p $pipestatus\n");
  for (const ShellKind kind : kShells) {
    const auto begins_with_7 = [kind](bool lost) {
      const std::string wrapper = file_of(script_of(kind, lost), "");
      return wrapper.find(kind == ShellKind::fish
                              ? "test -n '1'"
                              : "case 1$- in (1*|*e*) __mcp_01234567_s=7") != std::string::npos;
    };
    CHECK(begins_with_7(true));
    CHECK_FALSE(begins_with_7(false));
  }
}

TEST_CASE("shell templates: a directory is entered by the shell itself") {
  CHECK(cd_command(ShellKind::bash, "/a b/it's") == R"(\builtin cd -- '/a b/it'\''s')");
  CHECK(cd_command(ShellKind::zsh, "-x") == R"(\builtin cd -- '-x')");
  CHECK(cd_command(std::nullopt, "/it's") == R"(\cd -- '/it'\''s')");
  CHECK(cd_command(ShellKind::posix, "/a") == R"(\command cd -- '/a')");
  CHECK(cd_command(ShellKind::fish, R"(/it's \)") == R"(builtin cd -- '/it\'s \\')");
}

TEST_CASE("shell templates: the echo of every typed line is known as ours") {
  const std::string started = "\x1b[A\x1b[2K$ TEXT\r\r\n\x1b]133;C;mcp=START:" + kScriptNonce + "\x07hi\r\n";
  std::vector<std::string> lines = {};
  for (const ShellKind kind : kShells) {
    const ShellScript script = script_of(kind);
    lines.insert(lines.end(), {script.typed_line, script.mending_line});
  }
  for (const std::string& line : lines) {
    CAPTURE(line);
    const std::string bytes = "$" + line + "\r\n\r" + started;
    CHECK(edited(bytes, typed_echoes(bytes)) == "$\r\n\r" + started);
  }
}

}  // namespace terminally
