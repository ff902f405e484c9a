// Commands in real shells, on a pty of our own: what they print, how they end, what is kept of them.
#include "command/command_run.hpp"

#include <doctest/doctest.h>
#include <signal.h>

#include <string>
#include <vector>

#include "pty_tab.hpp"

using namespace terminally;
using test::PtyTab;
using namespace std::chrono_literals;

namespace {

constexpr const char* kFish = "/usr/bin/fish";

struct RunTold {
  std::string text;
  std::string output;
  int exit_code = 0;
};

void check_plain_end(const RunPtr& run, int exit_code) {
  CHECK(run->record().exit_code == exit_code);
  CHECK(run->record().state == CommandState::completed);
  CHECK(run->record().reason == Reason::none);
  CHECK(run->record().notes == std::vector<std::string>());
  CHECK_FALSE(run->record().timed_out);
}

bool has_note(const RunPtr& run, const std::string& part) {
  return std::ranges::any_of(
      run->record().notes, [&part](const std::string& note) { return note.find(part) != std::string::npos; });
}

}  // namespace

TEST_CASE("command run: output is exact and the exit code true, in every shell") {
  std::string numbers;
  for (int number = 1; number <= 20'000; ++number) {
    numbers += std::to_string(number) + "\n";
  }
  const std::vector<RunTold> commands = {
      {"printf abc", "abc", 0},
      {"true", "", 0},
      {"false", "", 1},
      {"echo one; echo two", "one\ntwo\n", 0},
      {"echo one\necho two\n", "one\ntwo\n", 0},
      {"\n\n  echo blanks  # and a comment", "blanks\n", 0},
      {R"(printf '%s|' 'a  b' '*' '$x' '`id`' '!!')", "a  b|*|$x|`id`|!!|", 0},
      {R"(printf '\033[31mred\033[0m')", "\033[31mred\033[0m", 0},
      {"printf '\\n\\n'", "\n\n", 0},
      {"echo 'späße 日本'", "späße 日本\n", 0},
      {"sh -c 'exit 7'", "", 7},
      {"sh -c 'kill -TERM $$'", "", 143},
      {"sh -c 'echo err >&2; exit 255'", "err\n", 255},
      {"cd /usr/bin", "", 0},
      {"pwd", "/usr/bin\n", 0},
      {"seq 1 20000", numbers, 0},
  };
  for (const std::string& shell : test::shells_here()) {
    CAPTURE(shell);
    PtyTab tab(shell);
    const int shell_pid = tab.shell_pid();
    for (const RunTold& command : commands) {
      CAPTURE(command.text);
      const RunPtr run = tab.run(command.text);
      check_plain_end(run, command.exit_code);
      if (command.exit_code != 143) {  // some shells say themselves that it was terminated
        CHECK(tab.output(run) == command.output);
      }
    }
    CHECK(tab.shell_pid() == shell_pid);
  }
}

TEST_CASE("command run: what a command leaves in its shell is there for the next, $? too") {
  for (const std::string& shell : test::shells_here()) {
    CAPTURE(shell);
    PtyTab tab(shell);
    const bool fish = shell == kFish;
    tab.run(fish ? "set -g kept 'a b'" : "kept='a b'");
    CHECK(tab.output(tab.run("echo \"$kept\"")) == "a b\n");
    tab.run(fish ? "function greet; echo hello $argv; end" : "greet() { echo hello \"$@\"; }");
    CHECK(tab.output(tab.run("greet you")) == "hello you\n");
    tab.run("sh -c 'exit 9'");
    CHECK(tab.output(tab.run(fish ? "echo $status" : "echo $?")) == "9\n");
    CHECK(tab.tab->last_exit == 0);
  }
}

TEST_CASE("command run: a text that is no whole command ends, and the next one is exact") {
  const std::vector<std::string> texts = {
      "echo 'unclosed", "echo \"unclosed", "if true",  "echo )", "cat <<EOF\nabc",
      "echo $(",        "for x in",        "echo a |", "{",      "nosuchprogram-7f3a"};
  for (const std::string& shell : test::shells_here()) {
    CAPTURE(shell);
    PtyTab tab(shell);
    for (const std::string& text : texts) {
      CAPTURE(text);
      const RunPtr run = tab.run(text);
      CHECK(run->record().exit_code.has_value());
      if (text == "nosuchprogram-7f3a") {
        CHECK(run->record().exit_code == 127);
      }
      if (text == "cat <<EOF\nabc" && shell != kFish) {
        CHECK(tab.output(run).find("abc") != std::string::npos);
        CHECK(run->record().exit_code == 0);
      }
      const RunPtr next = tab.run("echo whole");
      CHECK(tab.output(next) == "whole\n");
      check_plain_end(next, 0);
    }
  }
}

TEST_CASE("command run: a shell that ends with its command tells the code, and another takes its place") {
  for (const std::string& shell : test::shells_here()) {
    CAPTURE(shell);
    PtyTab tab(shell);
    const std::vector<RunTold> commands = {
        {"echo last; exit 3", "last\n", 3},
        {"exec sh -c 'echo instead; exit 4'", "instead\n", 4},
        {shell == kFish ? "kill -9 $fish_pid" : "kill -9 $$", "", 128 + SIGKILL},
    };
    for (const RunTold& command : commands) {
      CAPTURE(command.text);
      tab.run("cd /usr");
      const int shell_pid = tab.shell_pid();
      const RunPtr run = tab.run(command.text);
      CHECK(run->record().exit_code == command.exit_code);
      CHECK(run->record().state == CommandState::completed);
      CHECK(run->record().reason == Reason::shell_exited);
      CHECK(tab.output(run).starts_with(command.output));
      CHECK(has_note(run, "a new one was started in the same tab, in /usr"));
      CHECK(tab.output(tab.run("pwd")) == "/usr\n");
      CHECK(tab.shell_pid() != shell_pid);
    }
  }
}

TEST_CASE("command run: the lines that a tracing shell prints around a command are no output") {
  for (const std::string shell : {"/bin/bash", "/bin/dash", "/bin/zsh"}) {
    CAPTURE(shell);
    PtyTab tab(shell);
    for (const std::string option : {"x", "v"}) {
      CAPTURE(option);
      tab.run("set -" + option);
      const RunPtr run = tab.run("echo traced");
      const std::string output = tab.output(run);
      CAPTURE(output);
      CHECK(output.ends_with("traced\n"));
      CHECK(std::ranges::count(output, '\n') ==
            2);  // the shell's own line, which zsh begins with the file's name
      CHECK(output.find("mcp=") == std::string::npos);
      check_plain_end(run, 0);
      tab.run("set +" + option);
    }
    CHECK(tab.output(tab.run("echo plain")) == "plain\n");
  }
}

TEST_CASE("command run: options that make a shell strict do not keep its END") {
  PtyTab tab("/bin/bash");
  for (const std::string& options :
       std::vector<std::string>{"set -u", "set -C", "set -f", "set -o vi", "set +H"}) {
    CAPTURE(options);
    check_plain_end(tab.run(options), 0);
    CHECK(tab.output(tab.run("echo on")) == "on\n");
  }
  const RunPtr fails = tab.run("set -e\nfalse\necho never");
  CHECK(fails->record().exit_code == 1);
  CHECK(tab.output(fails).find("never") == std::string::npos);
  CHECK(tab.output(tab.run("echo on")) == "on\n");
}

TEST_CASE("command run: what hides our builtins, or takes our output away, hides nothing from us") {
  PtyTab tab("/bin/bash");
  const std::vector<std::string> hostile = {
      "printf() { echo mine; }; builtin() { echo mine; }; .() { echo mine; }",
      "unset -f printf builtin .; alias printf='echo mine'; PATH=/nonexistent",
      "PROMPT_COMMAND='echo prompt'",
      "readonly IFS; IFS=1; trap 'echo trapped' EXIT",
      "exec 3>&1 >/dev/null",
  };
  for (const std::string& text : hostile) {
    CAPTURE(text);
    tab.run(text);
    const RunPtr run = tab.run("builtin echo seen >/dev/tty");
    CHECK(tab.output(run).find("prompt") == std::string::npos);
    CHECK(run->record().state == CommandState::completed);
    CHECK(run->record().exit_code == 0);
  }
  tab.run("exec >&3");
  CHECK(tab.output(tab.run("echo back")) == "back\n");
}

TEST_CASE("command run: a command that reads the keyboard gets what is typed while it runs") {
  for (const std::string& shell : test::shells_here()) {
    CAPTURE(shell);
    PtyTab tab(shell);
    const RunPtr run = tab.start("cat");
    REQUIRE(tab.comes_true([&tab] { return look_at_foreground(tab.tab->pane_pid).name == "cat"; }));
    tab.pane().write("hello\r\x04");
    tab.finish(run);
    CHECK(tab.output(run) == "hello\nhello\n");
    CHECK(run->record().exit_code == 0);
  }
}

TEST_CASE("command run: its record is on disk before it can begin, and says how it ended") {
  PtyTab tab;
  std::optional<CommandRecord> typed;
  tab.pane().on_type = [&](const std::string& bytes) {
    typed = tab.tab->records.latest();
    return std::pair(bytes, true);
  };
  const RunPtr run = tab.start("printf 12345; exec 9</dev/null; cat; (exit 6)", 15s);
  REQUIRE(typed);
  CHECK(typed->state == CommandState::running);
  CHECK(typed->command == run->record().command);
  CHECK(typed->who == "client 1");
  CHECK(typed->nonce == run->record().nonce);
  CHECK(typed->id == typed->nonce.substr(0, 8));
  CHECK(typed->shell_pid == tab.shell_pid());
  CHECK(typed->shell_image == process_image(tab.shell_pid()));
  CHECK(typed->cwd == tab.home());
  REQUIRE(tab.prints("12345"));
  CHECK(tab.tab->files.running_nonce() == run->record().nonce);
  CHECK(tab.tab->files.may_be_taken(run->record().nonce));
  CHECK_FALSE(tab.tab->files.exit_code(run->record().nonce));
  CHECK(tab.tab->command_lock);
  CHECK(run->has_begun());
  CHECK_FALSE(run->output().part().last);
  tab.pane().write("\x04");
  tab.finish(run);
  const auto ended = tab.tab->records.find(run->record().id);
  REQUIRE(ended);
  CHECK(ended->state == CommandState::completed);
  CHECK(ended->exit_code == 6);
  CHECK(ended->typed_byte < ended->start_byte);
  CHECK(ended->end_byte == ended->start_byte + 5);
  CHECK(tab.tab->log.read(ended->start_byte, 5).bytes == "12345");
  CHECK(run->output().part().last);
  CHECK(run->output().part().end == ended->end_byte);
  CHECK_FALSE(tab.tab->files.running_nonce());
  CHECK_FALSE(tab.tab->command_lock);
  CHECK(tab.tab->runs.empty());
  CHECK(tab.tab->last_exit == 6);
  // Its files are in nobody's way.
  CHECK(tab.comes_true([&] {
    for (const auto& entry : std::filesystem::directory_iterator(tab.runtime())) {
      if (entry.path().filename().string().starts_with(ended->id)) {
        return false;
      }
    }
    return true;
  }));
}

TEST_CASE("command run: nothing of the text is typed, and the files are the owner's only") {
  for (const std::string& shell : test::shells_here()) {
    CAPTURE(shell);
    PtyTab tab(shell);
    std::size_t files = 0;
    tab.pane().on_type = [&](const std::string& bytes) {
      for (const auto& entry : std::filesystem::directory_iterator(tab.runtime())) {
        CAPTURE(entry.path());
        CHECK((entry.status().permissions() &
               (std::filesystem::perms::group_all | std::filesystem::perms::others_all)) ==
              std::filesystem::perms::none);
        ++files;
      }
      return std::pair(bytes, true);
    };
    tab.run("echo SECRET > /dev/null");
    CHECK(files >= 4);
    REQUIRE(tab.pane().typed.size() == 1);
    CHECK(tab.pane().typed[0].first == TypedAs::line);
    CHECK(tab.pane().typed[0].second.find("SECRET") == std::string::npos);
    CHECK(tab.pane().typed[0].second.size() < 200);
  }
}

TEST_CASE("command run: the terminal's size and modes are a person's after the command as before") {
  for (const std::string& shell : test::shells_here()) {
    CAPTURE(shell);
    PtyTab tab(shell);
    tab.run("stty -a >/dev/null");
    CHECK(tab.output(tab.run("stty size")) == "40 120\n");
    tab.run("stty -echo");
    CHECK(tab.output(tab.run("echo seen")) == "seen\n");
  }
}

TEST_CASE("command run: what another process asked for is known also where the end is there as soon") {
  for (const bool asked_to_end : {true, false}) {
    CAPTURE(asked_to_end);
    PtyTab in;
    const RunPtr run = in.start("sleep 0.2; sh -c 'kill -TERM $$'");
    const std::string nonce = run->record().nonce;
    in.pane().on_print = [&](std::string bytes) {
      if (bytes.find("mcp=END:" + nonce) != std::string::npos) {
        asked_to_end ? in.tab->files.mark_cancelled(nonce) : in.tab->files.mark_signalled(nonce);
      }
      return bytes;
    };
    CHECK(in.finish(run).reason == Reason::cancelled_by_client);
    CHECK(run->record().exit_code == 143);
  }
}
