// What is told of a tab that nothing has happened in since it was looked at last.
#include "tmux/tabs/tab_look.hpp"

#include <doctest/doctest.h>

#include <fstream>

#include "log/log_record.hpp"
#include "pty_tab.hpp"

namespace terminally {
namespace {

using test::PtyTab;

/// As list_tabs does. `at_rest`: it was not looked at.
struct Listed {
  TabInfo info;
  bool at_rest = false;
};

Listed list(PtyTab& in) {
  RunningMarks marks;
  std::optional<TabInfo> info = info_at_rest(*in.tab, marks);
  const bool at_rest = info.has_value();
  return {at_rest ? *info : info_of(*in.tab, look_at_foreground(in.tab->pane_pid)), at_rest};
}

/// Until its shell is at its prompt, which it may be on its way to yet.
TabInfo at_rest(PtyTab& in) {
  Listed listed;
  REQUIRE(in.comes_true([&] {
    listed = list(in);
    return listed.at_rest;
  }));
  return listed.info;
}

}  // namespace

TEST_CASE("tab look: one at rest is told of without a look, and is as a look would show it") {
  for (const std::string& shell : test::shells_here()) {
    CAPTURE(shell);
    PtyTab in(shell);
    in.run("cd /");
    REQUIRE(in.comes_to_prompt());
    REQUIRE(in.comes_true([&in] { return in.tab->runs.empty(); }));
    TabInfo rest, look;
    REQUIRE(in.comes_true([&] {  // its log may be written yet: a prompt in several pieces
      rest = at_rest(in);
      look = info_of(*in.tab, look_at_foreground(in.tab->pane_pid));
      return rest.log_bytes == look.log_bytes;
    }));
    CHECK(rest.window_id == in.tab->window);
    CHECK(rest.foreground == look.foreground);
    CHECK(shell.ends_with(rest.foreground));
    CHECK(rest.cwd == "/");
    CHECK_FALSE(rest.busy);
    CHECK(rest.log_path == look.log_path);
    CHECK(rest.log_bytes == std::filesystem::file_size(rest.log_path));
    CHECK(rest.last_output_at_ms == look.last_output_at_ms);
    CHECK(rest.last_output_at_ms > 0);
  }
}

TEST_CASE("tab look: what tmux says of it is of now") {
  PtyTab in;
  at_rest(in);
  in.tab->name = "other";
  in.tab->active = true;
  in.tab->tmux_window = "@7";
  in.tab->tmux_session = "$3";
  const TabInfo info = at_rest(in);
  CHECK(info.name == "other");
  CHECK(info.active);
  CHECK(info.tmux_window == "@7");
  CHECK(info.tmux_session == "$3");
}

TEST_CASE(
    "tab look: where its shell has run, something was printed or a command is on its way, it is looked at") {
  PtyTab in;
  at_rest(in);
  in.pane().press("cd /usr\r");
  REQUIRE(in.comes_true([&in] { return list(in).info.cwd == "/usr"; }));
  at_rest(in);
  // By nobody in the tab: as from another terminal.
  std::ofstream(in.tab->log.path(), std::ios::app) << "printed";
  CHECK_FALSE(list(in).at_rest);
  CHECK(list(in).info.log_bytes == std::filesystem::file_size(in.tab->log.path()));
  at_rest(in);
  in.tab->files.mark_running(std::string(32, 'a'), "/");  // by another process of ours
  const Listed running = list(in);
  CHECK_FALSE(running.at_rest);
  CHECK(running.info.busy);
  CHECK_FALSE(list(in).at_rest);
  in.tab->files.unmark_running(std::string(32, 'a'));
  at_rest(in);
}

TEST_CASE("tab look: a program in the foreground is never at rest, nor a command of ours") {
  PtyTab in;
  const RunPtr run = in.start("sleep 1000");
  REQUIRE(in.comes_true([&in] { return list(in).info.foreground == "sleep"; }));  // behind the fork
  for (int i = 0; i < 5; ++i) {
    const Listed listed = list(in);
    CHECK_FALSE(listed.at_rest);
    CHECK(listed.info.busy);
    CHECK(listed.info.foreground == "sleep");
  }
}

TEST_CASE("tab look: what was at rest is so no more where a program stands still, or a command is to come") {
  PtyTab in;
  at_rest(in);
  const RunPtr run = in.begin("true");  // nothing of it is done before the event loop turns
  CHECK_FALSE(list(in).at_rest);
  in.finish(run);
  REQUIRE(in.comes_true([&in] { return in.tab->runs.empty(); }));
  at_rest(in);
  in.pane().press("sleep 1000\r");
  REQUIRE(in.comes_true([&in] { return list(in).info.foreground == "sleep"; }));
  for (int i = 0; i < 5; ++i) {
    const Listed listed = list(in);
    CHECK_FALSE(listed.at_rest);
    CHECK(listed.info.foreground == "sleep");
  }
}

TEST_CASE("tab look: who waits for the keyboard stands still, and is busy") {
  PtyTab in;
  REQUIRE(in.comes_to_prompt());
  in.pane().press("read x\r");
  REQUIRE(in.comes_true([&in] { return list(in).info.busy; }));
  for (int i = 0; i < 5; ++i) {
    const Listed listed = list(in);
    CHECK_FALSE(listed.at_rest);
    CHECK(listed.info.busy);
  }
  in.pane().press("\r");
  CHECK_FALSE(at_rest(in).busy);
}

TEST_CASE("tab look: the command that was begun last is told as it stands") {
  PtyTab in;
  CHECK_FALSE(at_rest(in).command);
  in.run("cd / && false");
  REQUIRE(in.comes_true([&in] { return in.tab->runs.empty(); }));
  const std::optional<LastCommand> failed = at_rest(in).command;
  REQUIRE(failed);
  CHECK(failed->text == "cd / && false");
  CHECK(failed->state == CommandState::completed);
  CHECK(failed->exit_code == 1);
  CHECK(failed->started_at_ms > 0);
  CHECK_FALSE(failed->awaiting_input);
  const RunPtr asks = in.start("read -p 'name: ' n; sleep 1000");
  std::optional<LastCommand> running;
  REQUIRE(in.comes_true([&] {
    running = list(in).info.command;
    return running && running->awaiting_input && !running->awaiting_input->prompt.empty();
  }));
  CHECK(running->text == "read -p 'name: ' n; sleep 1000");
  CHECK(running->state == CommandState::running);
  CHECK_FALSE(running->exit_code);
  CHECK(running->awaiting_input->kind == AwaitingInput::Kind::line);
  CHECK(running->awaiting_input->prompt == "name:");
  in.pane().press("Ada\r");
  REQUIRE(in.comes_true([&] { return !list(in).info.command->awaiting_input; }));
  CHECK(list(in).info.command->state == CommandState::running);
}

TEST_CASE("tab look: a command of another process is told by its record, also when that changes at rest") {
  PtyTab in;
  at_rest(in);
  CommandRecord record;
  record.id = "0123abcd";
  record.nonce = std::string(32, 'a');
  record.command = std::string(100'000, 'x');
  in.tab->records.append(record);
  test::append_to(in.tab->log.path(), "x");
  for (int i = 0; i < 3; ++i) {
    const Listed listed = list(in);
    CHECK_FALSE(listed.at_rest);
    REQUIRE(listed.info.command);
    CHECK(listed.info.command->state == CommandState::running);
    CHECK(listed.info.command->text.size() < 17'000);
  }
  record.state = CommandState::cancelled;
  record.exit_code = 130;
  in.tab->records.append(record);  // its log had its end before
  const std::optional<LastCommand> ended = at_rest(in).command;
  REQUIRE(ended);
  CHECK(ended->state == CommandState::cancelled);
  CHECK(ended->exit_code == 130);
}

TEST_CASE("tab look: of a log in several files more may go than its last one shows") {
  PtyTab in;
  REQUIRE(in.comes_true([&in] { return list(in).info.log_bytes > 0; }));
  at_rest(in);
  // Its writer has begun another file behind as many bytes, which somebody may remove.
  const PaneLog::Stamp log = in.tab->log.stamp();
  const LogRecordLine record =
      encode({.kind = LogRecord::Kind::segment, .offset = log.size, .position = log.size});
  test::append_to(in.tab->log.path().string() + std::string(kLogSidecarSuffix),
                  std::string_view(record.data(), record.size()));
  test::append_to(in.tab->log.path(), "x");
  for (int i = 0; i < 5; ++i) {
    CHECK_FALSE(list(in).at_rest);
  }
}

TEST_CASE("tab look: a directory that is renamed is told by its new name") {
  PtyTab in;
  std::filesystem::path now = in.home() / "directory";
  std::filesystem::create_directory(now);
  in.pane().press("cd " + now.string() + "\r");
  REQUIRE(in.comes_true([&] { return list(in).info.cwd == now; }));
  for (bool was_at_rest = false; !was_at_rest;) {
    at_rest(in);
    const std::filesystem::path before = now;
    now += "-";
    std::filesystem::rename(before, now);
    const Listed listed = list(in);
    CHECK(listed.info.cwd == now);
    was_at_rest = listed.at_rest;
  }
}

}  // namespace terminally
