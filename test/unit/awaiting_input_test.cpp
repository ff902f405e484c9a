// Who waits for the keyboard, seen in /proc and in the terminal's mode; and whether a command may go to a
// prompt.
#include "command/awaiting_input.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "base/error.hpp"
#include "command/busy.hpp"
#include "command/prompt.hpp"
#include "log/unfinished_line.hpp"
#include "pty_tab.hpp"
#include "tab/terminal_signals.hpp"

using namespace terminally;
using test::PtyTab;
using namespace std::chrono_literals;

namespace {

using InputKind = AwaitingInput::Kind;

void end_run(PtyTab& tab, const RunPtr& run) {
  run->request_end(Reason::cancelled_by_client, true);
  tab.finish(run);
}

/// The error that a call gets which waits for the prompt that long.
std::string no_prompt(PtyTab& tab, Milliseconds patience, ErrorCode code = ErrorCode::busy) {
  try {
    tab.result_of(wait_for_prompt(*tab.tab, Clock::now() + patience));
  } catch (const Error& error) {
    CHECK(error.code() == code);
    return error.what();
  }
  FAIL("there was a prompt");
  return {};
}

bool error_has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("awaiting input: what a program waits for, and at which question") {
  struct Asks {
    const char* text;
    std::optional<InputKind> kind;
    const char* prompt;
    int programs = 0;  ///< that run where none waits
  };
  const std::vector<Asks> all = {
      {"printf 'Name? '; read x", InputKind::line, "Name?"},
      {"printf 'one\\ntwo\\n'; cat", InputKind::line, ""},
      {"sh -c 'printf \"Go on? [y/n] \"; read x'", InputKind::line, "Go on? [y/n]"},
      {"printf 'Password: '; stty -echo; read x; stty echo", InputKind::password, "Password:"},
      {"read -s -p 'Secret: ' x", InputKind::password, "Secret:"},
      {"printf '\\033[1;32mColour\\033[0m: '; cat", InputKind::line, "Colour:"},
      {"printf 'old\\rnew: '; cat", InputKind::line, "new:"},
      {"stty raw; dd bs=1 count=1 2>/dev/null; stty sane", InputKind::program, ""},
      {"less /etc/passwd", InputKind::program, nullptr},
      {"cat | cat", InputKind::line, ""},
      {"script -qc 'printf \"Go on? \"; read x' /dev/null", InputKind::line, "Go on?"},
      {"script -qc 'stty -echo; printf \"Secret: \"; read x' /dev/null", InputKind::password, "Secret:"},
      {"script -qc 'less /etc/passwd' /dev/null", InputKind::program, nullptr},
      {"script -qc \"script -qc 'printf Deep?; read x' /dev/null\" /dev/null", InputKind::line, "Deep?"},
      {"script -qc 'sleep 1000' /dev/null", std::nullopt, "", 2},
      {"sh -c 'timeout 60 cat; true'", InputKind::stopped, nullptr},
      {"sh -c 'timeout 60 stty -echo; true'", InputKind::stopped, nullptr},
      {"sh -c 'sh -c \"kill -STOP \\$\\$\"; true'", InputKind::stopped, nullptr},
      {"sleep 1000", std::nullopt, "", 1},
      {"cat | sleep 1000", std::nullopt, "", 2},
      {"cat </dev/zero >/dev/null", std::nullopt, "", 1},
      {"sleep 1000 & wait", std::nullopt, "", 1},
  };
  PtyTab tab;
  for (const Asks& asks : all) {
    CAPTURE(asks.text);
    const RunPtr run = tab.start(asks.text);
    SettledInput input;
    std::optional<AwaitingInput> seen;
    if (asks.kind) {
      REQUIRE(tab.comes_true([&] {
        seen = input.look(*tab.tab);
        return seen && seen->kind == *asks.kind;
      }));
      CHECK(awaiting_input(*tab.tab)->kind == *asks.kind);
      CHECK(input.seen()->kind == *asks.kind);
      if (asks.prompt != nullptr) {
        CHECK(tab.comes_true([&] { return awaiting_input(*tab.tab)->prompt == asks.prompt; }));
      }
    } else {
      const int shell = tab.shell_pid();
      REQUIRE(tab.comes_true([&] {
        return std::ranges::count_if(process_tree(shell, 10), [](const ProcessInfo& one) {
                 return one.name != "bash" && one.state != 'Z';
               }) == asks.programs;
      }));
      REQUIRE(tab.comes_true([&] { return !awaiting_input(*tab.tab); }));
      for (int looks = 0; looks < 5; ++looks) {
        CHECK_FALSE(input.look(*tab.tab));
      }
    }
    end_run(tab, run);
    tab.run("stty sane");
    REQUIRE(tab.comes_to_prompt());
    CHECK_FALSE(awaiting_input(*tab.tab));  // a shell at its prompt is idle
  }
}

TEST_CASE("awaiting input: what is settled was so at two looks, with nothing printed between") {
  PtyTab tab;
  const RunPtr run = tab.start("cat");
  REQUIRE(tab.comes_true([&] { return awaiting_input(*tab.tab).has_value(); }));
  SettledInput input;
  CHECK_FALSE(input.look(*tab.tab));
  REQUIRE(tab.comes_true([&] { return input.look(*tab.tab).has_value(); }));
  tab.pane().print("something\r\n");
  REQUIRE(tab.prints("something"));
  CHECK_FALSE(input.look(*tab.tab));
  CHECK(input.moved());
  REQUIRE(tab.comes_true([&] { return input.look(*tab.tab).has_value(); }));
  end_run(tab, run);
}

TEST_CASE("awaiting input: a wait that is shown lasts while its process waits, whatever is printed") {
  PtyTab tab;
  const RunPtr run = tab.start("cat");
  SettledInput input;
  CHECK_FALSE(input.look_again(*tab.tab));
  REQUIRE(tab.comes_true([&] { return input.look_again(*tab.tab).has_value(); }));
  tab.pane().print("a prompt: ");
  REQUIRE(tab.prints("a prompt: "));
  int lost = 0;
  REQUIRE(tab.comes_true([&] {
    const auto shown = input.look_again(*tab.tab);
    lost += shown ? 0 : 1;
    return shown && shown->prompt == "a prompt:";
  }));
  CHECK(lost <= 1);  // a look at /proc that saw two things
  end_run(tab, run);
  REQUIRE(tab.comes_to_prompt());
  CHECK_FALSE(input.look_again(*tab.tab));
}

TEST_CASE(
    "awaiting input: its prompt is waited for while who may pass it on is ready to run, and not for ever") {
  PtyTab tab;
  // A process that never has nothing to do stands for one that has had no turn.
  const RunPtr run = tab.start("(while :; do :; done) & cat");
  SettledInput input;
  std::optional<Clock::time_point> waits_since;
  REQUIRE(tab.comes_true([&] {
    const bool settled = input.look(*tab.tab).has_value();
    if (!waits_since && input.seen()) {
      waits_since = Clock::now();
    }
    return settled;
  }));
  CHECK(Clock::now() - waits_since.value_or(Clock::now()) >= Milliseconds(400));
  end_run(tab, run);
}

TEST_CASE("awaiting input: the last line that is not finished, as a person sees it") {
  struct Line {
    std::string bytes;
    std::string seen;
    std::string whole;
  };
  const std::string wide = std::string(300, 'x');
  const std::vector<Line> all = {
      {"done\r\n", "", ""},
      {"one\r\nName: ", "Name:", "Name:"},
      {"  Name:\t ", "Name:", "Name:"},
      {"\033[31mred\033[0m> ", "red>", "red>"},
      {"10%\r 20%\r100% ", "100%", "100%"},
      {"abc\b\b\033[KX: ", "aX:", "aX:"},
      {"\033[2J\033[Hmenu", "", ""},
      {"bad \xff\xfe byte", "bad \xEF\xBF\xBD\xEF\xBF\xBD byte", "bad \xEF\xBF\xBD\xEF\xBF\xBD byte"},
      {wide, std::string(200, 'x'), wide},
      {std::string(198, 'a') + "\xC3\xA4\xC3\xA4", std::string(196, 'a') + "\xC3\xA4\xC3\xA4",
       std::string(198, 'a') + "\xC3\xA4\xC3\xA4"},
      {std::string(5'000, 'y'), std::string(200, 'y'), ""},
  };
  for (const Line& line : all) {
    CAPTURE(line.bytes);
    const test::TempDir dir;
    test::append_to(dir / "log", line.bytes);
    const PaneLog log(dir / "log");
    CHECK(unfinished_line(log, 10'000) == line.seen);
    CHECK(whole_unfinished_line(log, 10'000) == line.whole);
  }
}

TEST_CASE("awaiting input: the last line begins with the prompt where a shell filled the row above it") {
  constexpr int kCols = 40;
  const std::string fill(kCols - 1, ' ');
  struct Line {
    std::string bytes;
    std::string seen;
  };
  const std::vector<Line> all = {
      {"ls\033[1m\033[7m#\033[27m\033[0m" + fill + "\r \r\r\033[Jvm# l\bls", "vm# ls"},  // zsh
      {"ls\xE2\x8F\x8E" + fill + "\r\xE2\x8F\x8E \r\033[Kvm> ls", "vm> ls"},             // fish
      {"half of it" + std::string(20, ' ') + "\rall", "allf of it"},                     // no row is full
  };
  for (const Line& line : all) {
    CAPTURE(line.bytes);
    const test::TempDir dir;
    test::append_to(dir / "log", line.bytes);
    const PaneLog log(dir / "log");
    CHECK(unfinished_line(log, kCols) == line.seen);
    CHECK(whole_unfinished_line(log, kCols) == line.seen);
  }
}

TEST_CASE("prompt: a shell is waited for while it comes to its prompt, and what has its place is named") {
  PtyTab tab;
  const Foreground prompt = tab.result_of(wait_for_prompt(*tab.tab, Clock::now() + 15s));
  CHECK(prompt.kind == Foreground::Kind::shell);
  CHECK(prompt.pid == tab.shell_pid());
  CHECK(prompt.shell == ShellKind::bash);
  CHECK(reads_our_files(prompt));

  tab.run("true");
  REQUIRE(tab.comes_to_prompt());
  tab.tab->shell.was_sent_input(Clock::now());
  tab.pane().press("cat /dev/null - \r");
  REQUIRE(tab.comes_true(
      [&] { return look_at_foreground(tab.tab->pane_pid).name == "cat" && awaiting_input(*tab.tab); }));
  std::string error = no_prompt(tab, 20ms);
  CHECK(error_has(error, "tab @1 is busy; nothing was run. There runs cat (cat /dev/null -)"));
  CHECK(error_has(error, ", which waits for the keyboard"));
  CHECK(error_has(error, "No command of ours began it"));
  CHECK(error_has(error, R"(to wait for its end: wait_for {"window_id": "@1", "until": "exit"})"));
  CHECK(error_has(error, R"(to answer it: send_text {"window_id": "@1", "text": "…"})"));
  CHECK(error_has(error, R"(to end it: cancel_command {"window_id": "@1"})"));
  tab.tab->for_person = true;
  error = no_prompt(tab, 20ms);
  CHECK(error_has(error, "to wait for its end: `terminally-mcp wait @1`"));
  CHECK(error_has(error, "`terminally-mcp cancel @1`"));
  CHECK_FALSE(error_has(error, "cancel_command"));
  tab.tab->for_person = false;
  tab.pane().press("\x03");
  REQUIRE(tab.comes_to_prompt());

  tab.pane().press("read -p 'Value: ' x\r");
  REQUIRE(tab.comes_true([&] {
    return prompt_state(look_at_foreground(tab.tab->pane_pid), tab.tab->tty) == Prompt::reads_keyboard;
  }));
  error = no_prompt(tab, 5s);  // long before that time
  CHECK(error_has(
      error,
      "tab @1 is busy; nothing was run. bash waits for the keyboard (a `read` or a password prompt): "
      "to answer "
      "it: send_text"));
  tab.pane().press("\x03");
  REQUIRE(tab.comes_to_prompt());

  tab.pane().press("sleep 1000 & wait\r");
  REQUIRE(tab.comes_true([&] {
    const Foreground now = look_at_foreground(tab.tab->pane_pid);
    return prompt_state(now, tab.tab->tty) == Prompt::not_yet && child_processes(now.shell_pid).size() == 1;
  }));
  error = no_prompt(tab, 20ms);
  CHECK(error_has(error, "Its shell, bash, did not come to its prompt in time"));
  CHECK(error_has(error, R"(To look: read_screen {"window_id": "@1"})"));
  tab.pane().kill();
  error = no_prompt(tab, 20ms, ErrorCode::tab_closed);
  CHECK(error == "tab @1 is closed; its log can still be read");
}

TEST_CASE("interrupt: where tmux types no C-c, its signal goes to what has the foreground (V5)") {
  struct Deaf : PaneTerminal {
    bool throws = false;
    boost::asio::awaitable<bool> type(std::string /*bytes*/, TypedAs /*kind*/, PaneFact /*unless*/) override {
      co_return false;
    }
    boost::asio::awaitable<bool> type_within(Milliseconds /*time*/, std::string /*bytes*/) override {
      if (throws) {
        throw Error(ErrorCode::tmux_timeout, "tmux did not answer");
      }
      co_return false;
    }
    boost::asio::awaitable<bool> is(PaneFact /*facts*/, PaneFact /*but_not*/) override { co_return false; }
    boost::asio::awaitable<bool> answers_within(Milliseconds /*time*/) override { co_return false; }
  };
  for (const bool throws : {false, true}) {
    CAPTURE(throws);
    PtyTab tab;
    const RunPtr run = tab.start("sleep 1000");
    REQUIRE(tab.comes_true([&] { return look_at_foreground(tab.tab->pane_pid).name == "sleep"; }));
    Deaf terminal;
    terminal.throws = throws;
    tab.result_of(press_interrupt_key(*tab.tab, terminal, tab.context().processes, 0));
    CHECK(tab.finish(run).exit_code == 130);
  }
}
