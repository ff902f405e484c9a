// The record of one command among those of its tab, and what the next server finds there.
#include "tab/record_keeper.hpp"

#include <doctest/doctest.h>

#include <boost/asio.hpp>
#include <memory>
#include <string>

#include "base/conventions.hpp"
#include "base/files.hpp"
#include "event_loop.hpp"
#include "tab/shell_gateway.hpp"
#include "tab/tab.hpp"
#include "temp_files.hpp"
#include "tmux/tabs/unfinished_commands.hpp"

namespace terminally {
namespace {

const std::string kNonceOne = "0123abcd" + std::string(24, '1');
const std::string kNonceTwo = "fedcba98" + std::string(24, '2');

struct TabOnDisk {
  test::TempDir directory{test::in_memory()};
  std::filesystem::path logs = directory / "logs";
  boost::asio::io_context io{1};
  std::shared_ptr<Tab> tab = std::make_shared<Tab>(
      WindowId{1}, PaneId{3}, Tab::Home{"unit", 1, logs / "pane-@1.log", directory / "run"}, 0);

  TabOnDisk() {
    std::filesystem::create_directory(logs);
    make_private_directory(directory / "run");
  }
  [[nodiscard]] static CommandRecord record(const std::string& nonce, CommandState state) {
    CommandRecord made;
    made.nonce = nonce;
    made.id = command_id_of(nonce);
    made.command = "make";
    made.state = state;
    return made;
  }
  /// As a shell that runs it leaves it.
  void mark(const std::string& nonce) const {
    ShellCommand command;
    command.text = "make";
    command.nonce = nonce;
    command.directory = directory / "run";
    tab->files.write(shell_script(ShellKind::bash, command), nonce);
    tab->files.mark_running(nonce, "/");
  }
};

ShellGateway gateway_told(std::int64_t client, std::int64_t person) {
  return {{1'234, 56'789}, "ssh", true, 17, client, person};
}

}  // namespace

TEST_CASE("record keeper: a record that cannot be written is tried again, each time that it happens (V7)") {
  TabOnDisk on;
  RecordKeeper keeper(on.io.get_executor(), on.tab, TabOnDisk::record(kNonceOne, CommandState::running));
  for (int round = 0; round < 2; ++round) {
    std::filesystem::remove_all(on.logs);
    CHECK_FALSE(keeper.save().empty());
    CHECK_FALSE(keeper.save().empty());
    CHECK(keeper->notes.size() <= 2);  // said once
    std::filesystem::create_directory(on.logs);
    REQUIRE(test::comes_true(
        on.io, [&] { return CommandRecords(on.logs / "pane-@1.commands").latest().has_value(); }));
  }
  CHECK(keeper.save().empty());
}

TEST_CASE(
    "record keeper: what another process told meanwhile is kept with the end, to whom it was told (V1)") {
  TabOnDisk on;
  CommandRecord record = TabOnDisk::record(kNonceOne, CommandState::running);
  record.shell_gateway = gateway_told(0, 0);
  RecordKeeper keeper(on.io.get_executor(), on.tab, record);
  record.shell_gateway = gateway_told(18, 19);
  REQUIRE(on.tab->records.append(record).empty());
  keeper.keep_what_was_told();
  CHECK(keeper->shell_gateway->told_steady_ms == 18);
  CHECK(keeper->shell_gateway->told_people_steady_ms == 19);

  record.shell_gateway->process.start_ticks += 1;  // another way
  record.shell_gateway->told_steady_ms = 77;
  REQUIRE(on.tab->records.append(record).empty());
  keeper.keep_what_was_told();
  CHECK(keeper->shell_gateway->told_steady_ms == 18);
}

TEST_CASE("gateway told: people and clients are told each once (V1)") {
  for (const bool person : {true, false}) {
    CAPTURE(person);
    TabOnDisk on;
    on.tab->for_person = person;
    CommandRecord record = TabOnDisk::record(kNonceOne, CommandState::completed);
    record.started_steady_ms = 5;
    record.shell_gateway = gateway_told(0, 0);
    REQUIRE(on.tab->records.append(record).empty());
    note_told(*on.tab, record);
    const auto way = on.tab->records.latest()->shell_gateway;
    REQUIRE(way);
    CHECK((way->told_people_steady_ms != 0) == person);
    CHECK((way->told_steady_ms != 0) == !person);
  }
}

TEST_CASE("unfinished commands: the one that is marked, and those in shells within it (V1)") {
  TabOnDisk on;
  on.mark(kNonceOne);
  REQUIRE(on.tab->records.append(TabOnDisk::record(kNonceOne, CommandState::running)).empty());
  REQUIRE(on.tab->records.append(TabOnDisk::record(kNonceTwo, CommandState::running)).empty());
  const auto found = unfinished_commands(*on.tab, true);
  REQUIRE(found.size() == 2);
  CHECK(found[0].record.nonce == kNonceOne);
  CHECK(found[1].record.nonce == kNonceTwo);
  CHECK(may_have_unfinished(*on.tab));
  REQUIRE(on.tab->records.append(TabOnDisk::record(kNonceTwo, CommandState::failed)).empty());
  CHECK(unfinished_commands(*on.tab, true).size() == 1);
}

TEST_CASE("unfinished commands: one that is owned apart is nobody's once its owner is gone (V1)") {
  TabOnDisk on;
  on.mark(kNonceOne);
  REQUIRE(on.tab->records.append(TabOnDisk::record(kNonceOne, CommandState::running)).empty());
  CommandRecord inner = TabOnDisk::record(kNonceTwo, CommandState::running);
  inner.owned_apart = true;
  REQUIRE(on.tab->records.append(inner).empty());
  make_private_directory(on.tab->files.owner_path("").parent_path());
  FileLock owner = FileLock::try_lock(on.tab->files.owner_path(command_id_of(kNonceTwo)));
  REQUIRE(owner);
  for (const bool has_tab : {true, false}) {
    CHECK(unfinished_commands(*on.tab, has_tab).size() == (has_tab ? 1 : 0));
  }
  owner.release();
  CHECK(unfinished_commands(*on.tab, true).size() == 2);
  {
    const auto found = unfinished_commands(*on.tab, false);
    REQUIRE(found.size() == 1);
    CHECK(found[0].record.nonce == kNonceTwo);
    CHECK_FALSE(FileLock::try_lock(
        on.tab->files.owner_path(command_id_of(kNonceTwo))));  // whoever takes it over has it
  }
  inner.state = CommandState::completed;
  REQUIRE(on.tab->records.append(inner).empty());
  CHECK(unfinished_commands(*on.tab, false).empty());
}

TEST_CASE("record keeper: a command in a nested shell has a lock of its own (V1)") {
  TabOnDisk on;
  for (const bool nested : {true, false}) {
    CAPTURE(nested);
    RecordKeeper keeper(on.io.get_executor(), on.tab, CommandRecord());
    keeper.draw_nonce(nested);
    CHECK(keeper->owned_apart == nested);
    CHECK(owned_apart(on.tab->files) == (nested ? std::vector{keeper->id} : std::vector<std::string>()));
    CHECK(static_cast<bool>(FileLock::try_lock(on.tab->files.owner_path(keeper->id))) == !nested);
    keeper.withdraw();
    on.tab->files.remove_locks();
    CHECK(owned_apart(on.tab->files).empty());
  }
  CHECK(decode_record(encode_record([] {
          CommandRecord record = TabOnDisk::record(kNonceOne, CommandState::running);
          record.owned_apart = true;
          return record;
        }()))
            ->owned_apart);
}

TEST_CASE(
    "unfinished commands: a mark whose command is over, or was withdrawn, is taken away with its files "
    "(V4)") {
  for (const bool withdrawn : {true, false}) {
    CAPTURE(withdrawn);
    TabOnDisk on;
    on.mark(kNonceOne);
    CommandRecord record = TabOnDisk::record(kNonceOne, CommandState::completed);
    record.withdrawn = withdrawn;
    REQUIRE(on.tab->records.append(record).empty());
    CHECK(unfinished_commands(*on.tab, true).empty());
    CHECK_FALSE(on.tab->files.running_nonce());
    CHECK(on.tab->files.are_gone(kNonceOne));
    CHECK(std::filesystem::is_empty(on.directory / "run"));
  }
}

TEST_CASE(
    "unfinished commands: where the records cannot be read, no files of a command are taken away (V5)") {
  TabOnDisk on;
  on.mark(kNonceOne);
  std::filesystem::create_directory(on.logs / "pane-@1.commands");
  CHECK(unfinished_commands(*on.tab, true).empty());
  CHECK(on.tab->files.running_nonce() == kNonceOne);
  CHECK_FALSE(on.tab->files.are_gone(kNonceOne));
}

}  // namespace terminally
