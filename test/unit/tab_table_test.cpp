#include "tmux/tabs/tab_table.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include "base/files.hpp"
#include "config_in.hpp"
#include "instance/tab_ids.hpp"
#include "temp_files.hpp"

namespace terminally {
namespace {

constexpr RowsOf kServer{0x7ffffffe, 1};  // no such process

/// A table of an instance in a directory of its own.
struct KnownTabs {
  test::TempDir directory;
  Config config = test::config_in(directory.path());
  Instance instance{config, "test"};
  TabChanges changes;
  TabTable table{instance, config, changes};

  KnownTabs() { std::filesystem::create_directories(instance.state()); }
};

PaneRow row(std::uint32_t tab, std::uint32_t pane, const std::string& name) {
  PaneRow row;
  row.tab = WindowId{tab};
  row.tag = "@" + std::to_string(tab);
  row.pane = PaneId{pane};
  row.pane_pid = ::getpid();  // one that lives
  row.name = name;
  row.session = "$0";
  row.in_tabs = true;
  return row;
}

}  // namespace

TEST_CASE("tab table: what tmux says last of a tab is what is known of it") {
  KnownTabs known;
  const TabPtr tab = known.table.take(row(3, 1, "main"), kServer);
  CHECK(known.changes.count() == 1);
  CHECK(known.table.find(WindowId{3}) == tab);
  CHECK(known.table.next_number() == 4);

  known.table.take_all({row(3, 1, "other")}, known.table.list(), kServer);
  CHECK(known.table.find(WindowId{3}) == tab);
  CHECK(tab->name == "other");
  CHECK_FALSE(tab->closed);
  CHECK(known.changes.count() == 1);  // it neither came nor went
}

TEST_CASE("tab table: a tab whose pane is not listed is closed, one that was opened meanwhile is not") {
  KnownTabs known;
  const TabPtr before = known.table.take(row(1, 1, "a"), kServer);
  const std::vector<TabPtr> asked_about = known.table.list();
  const TabPtr meanwhile = known.table.take(row(2, 2, "b"), kServer);
  known.table.take_all({}, asked_about, kServer);
  CHECK(before->closed);
  CHECK_FALSE(meanwhile->closed);
}

TEST_CASE(
    "tab table: the locks of a closed tab go, but not of one whose tmux died: its pane's number may be "
    "another's") {
  for (const bool tmux_lives : {true, false}) {
    CAPTURE(tmux_lives);
    KnownTabs known;
    const RowsOf server{tmux_lives ? static_cast<int>(::getpid()) : kServer.server_pid, 1};
    PaneRow gone = row(1, 1, "a");
    gone.pane_pid = 0x7fffffff;  // no such process
    const TabPtr tab = known.table.take(gone, server);
    std::filesystem::create_directories(tab->files.lock_path().parent_path());
    write_file(tab->files.lock_path(), "");
    CHECK(notice_if_closed(*tab));
    CHECK(std::filesystem::exists(tab->files.lock_path()) == !tmux_lives);
  }
}

TEST_CASE("tab table: a tab in several sessions is where its own pane is in ours") {
  KnownTabs known;
  PaneRow elsewhere = row(1, 1, "a");
  elsewhere.in_tabs = false;
  elsewhere.session = "$5";
  PaneRow split_off = row(1, 2, "b");  // the tag of its window, behind its own pane
  split_off.session = "$7";
  known.table.take_all({elsewhere, split_off, row(1, 1, "a")}, {}, kServer);
  const TabPtr tab = known.table.find(WindowId{1});
  REQUIRE(tab);
  CHECK(tab->pane == PaneId{1});
  CHECK(tab->tmux_session == "$0");
}

TEST_CASE("tab table: the pane of another tmux server is another tab's") {
  KnownTabs known;
  const TabPtr lost = known.table.take(row(1, 1, "a"), kServer);
  const TabPtr next = known.table.take(row(1, 1, "a"), {4'712, 2});
  CHECK(next != lost);
  CHECK(known.table.find(WindowId{1}) == next);
  CHECK(known.changes.count() == 2);

  const TabPtr old = known.table.take(row(2, 2, "b"), kServer);
  known.table.keep_open_only_of(4'712);
  CHECK(old->closed);
  CHECK_FALSE(next->closed);
}

TEST_CASE("tab table: closed tabs that nobody holds are forgotten, their numbers are not") {
  KnownTabs known;
  const TabPtr held = known.table.take_closed(WindowId{1}, 1);
  known.table.take_closed(WindowId{2}, 1);
  known.table.take(row(9, 1, "a"), kServer);
  known.table.forget_closed();
  CHECK(known.table.find(WindowId{1}) == held);
  CHECK_FALSE(known.table.find(WindowId{2}));
  CHECK(known.table.find(WindowId{9}));
  known.table.forget(WindowId{9});
  CHECK(known.table.next_number() == 10);
  CHECK(first_unused_id(known.instance) == 10);  // on disk as well, for the next process
}

TEST_CASE("tab table: a guest notes numbers as others do, and shows its tabs to a person") {
  KnownTabs known;
  Config guest = known.config;
  guest.guest = true;
  TabTable guests(known.instance, guest, known.changes);
  const TabPtr shown = guests.take(row(9, 1, "a"), kServer);
  CHECK(shown->for_person);
  CHECK(shown->canceller == Canceller::command_line);
  guest.stays = true;
  TabTable at_the_page(known.instance, guest, known.changes);
  CHECK(at_the_page.take(row(9, 1, "a"), kServer)->canceller == Canceller::browser);
  CHECK(first_unused_id(known.instance) == 10);
}

TEST_CASE("tab table: the exit code of the last command is known behind a restart (V1)") {
  KnownTabs known;
  std::filesystem::create_directories(known.instance.generation(1));
  CommandRecord record;
  record.id = "01234567";
  record.nonce = "0123456789abcdef0123456789abcdef";
  record.state = CommandState::completed;
  record.exit_code = 3;
  REQUIRE(CommandRecords(log_path(known.instance.generation(1), "@3").replace_extension(".commands"))
              .append(record)
              .empty());
  CHECK(known.table.take(row(3, 1, "main"), kServer)->last_exit == 3);
  CHECK(known.table.take(row(4, 2, "other"), kServer)->last_exit == 0);
}

}  // namespace terminally
