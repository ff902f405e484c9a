#include "instance/runtime_files.hpp"

#include <doctest/doctest.h>

#include <boost/asio.hpp>
#include <filesystem>
#include <string_view>

#include "base/error.hpp"
#include "base/files.hpp"
#include "config_in.hpp"
#include "event_loop.hpp"
#include "instance/instance.hpp"
#include "instance/left_behind.hpp"
#include "temp_files.hpp"
#include "tmux/server/instance_end.hpp"

using namespace terminally;
using namespace terminally::test;

TEST_CASE("runtime files: what is ours is known by its name") {
  for (const char* name : {"lock", "tmux.sock", "tmux.conf.new", "choosing.lock", "temporary", "3.run",
                           "12.lock", "3.ended.new", "3.typing", "3.queue", "0bf41c2a", "0bf41c2au",
                           "01619152adb4a61ab55df268d39d7c22.exit", "paste-00ff"}) {
    CHECK_MESSAGE(is_runtime_file(name), name);
  }
  for (const char* name :
       {"", "src", "README.md", ".git", "thesis.txt", "lock.json", "a.run", ".run", "0bf41c2", "0bf41c2a.txt",
        "0bf41c2azz", "deadbeefs.c", "new", ".new", "2024.jpg", "1.txt", "3.locks", "3."}) {
    CHECK_MESSAGE(!is_runtime_file(name), name);
  }
}

TEST_CASE("runtime files: what only looks like one of ours makes no instance") {
  for (const char* name : {"lock", "tmux.conf", "20241122", "unnamed", "3.run"}) {
    const TempDir directory;
    write_file(directory.path() / name, "somebody's");
    CHECK_MESSAGE(!is_instance_directory(directory.path()), name);
  }
  CHECK(!is_instance_directory("/nowhere"));
}

TEST_CASE("runtime files: an instance is known by its lock") {
  const TempDir directory;
  write_file(directory.path() / "lock", "");
  CHECK(!is_instance_directory(directory.path()));
  write_file(directory.path() / "unnamed", "");
  CHECK(is_instance_directory(directory.path()));  // on a full disk nothing could be written into it
  remove_file(directory.path() / "unnamed");
  for (const std::string_view owner : {std::string_view("4711"), kCleaner}) {
    write_file(directory.path() / "lock", owner);
    CHECK_MESSAGE(is_instance_directory(directory.path()), owner);
  }
  write_file(directory.path() / "lock", "4711 of another program");
  CHECK(!is_instance_directory(directory.path()));
}

TEST_CASE(
    "runtime files: a directory with files of others is no place for an instance, and stays as it is (V6)") {
  const TempDir directory;
  const Config config = config_in(directory.path());
  const Instance instance(config, "work");
  make_private_directory(config.runtime_root);
  make_private_directory(instance.runtime());
  write_file(instance.runtime() / "thesis.txt", "somebody's");
  CHECK_THROWS_WITH_AS(static_cast<void>(instance.own()), doctest::Contains("none of an instance"), Error);
  CHECK(test::content_of(instance.runtime() / "thesis.txt") == "somebody's");
  CHECK(!std::filesystem::exists(instance.runtime() / "lock"));
  remove_file(instance.runtime() / "thesis.txt");
  write_file(instance.runtime() / "3.run", "");  // of an instance that died
  CHECK(static_cast<bool>(instance.own()));
}

TEST_CASE(
    "runtime files: what an unnamed server left is put away, but nobody's own, and nothing named (V2, V6)") {
  const TempDir directory(in_memory());
  const Config config = config_in(directory.path());
  for (const auto& made : {config.runtime_root, config.state_root}) {
    make_private_directory(made);
  }
  for (const char* name : {"aaaa", "bbbb", "work"}) {
    const Instance instance(config, name);
    make_private_directory(instance.runtime());
    make_private_directory(instance.state());
    write_file(instance.runtime() / "lock", "4711");  // which nobody holds
    if (std::string_view(name) != "work") {
      instance.mark_unnamed();
    }
  }
  boost::asio::io_context io(1);
  test::run(io, end_abandoned_instances(config, "aaaa"));
  CHECK(std::filesystem::exists(config.runtime_root / "aaaa" / "lock"));
  CHECK(std::filesystem::exists(config.runtime_root / "work" / "lock"));
  CHECK(!std::filesystem::exists(config.runtime_root / "bbbb"));
  CHECK(!std::filesystem::exists(config.state_root / "bbbb"));  // it had no logs
}

TEST_CASE("left behind: a named instance is alone a day after its last server left, or was first missed") {
  const TempDir directory;
  const Config config = config_in(directory.path());
  const Instance instance(config, "work");
  std::filesystem::create_directories(instance.runtime());
  const std::filesystem::path alone = instance.runtime() / "alone";
  const auto alone_for = [&](std::int64_t ms) {
    write_file(alone, std::to_string(steady_ms(Clock::now()) - ms));
  };
  CHECK_FALSE(is_alone_for_a_day(instance));
  CHECK(read_file(alone));  // from now on
  alone_for(86'390'000);
  CHECK_FALSE(is_alone_for_a_day(instance));
  alone_for(86'400'000);
  std::filesystem::create_directories(instance.generation(1));
  const std::filesystem::path log = instance.generation(1) / "pane-@0.log";
  write_file(log, "a person was here");
  CHECK_FALSE(is_alone_for_a_day(instance));
  std::filesystem::last_write_time(log, std::filesystem::last_write_time(log) - std::chrono::hours(25));
  CHECK(is_alone_for_a_day(instance));
  write_file(alone, "");  // as on a full disk
  CHECK_FALSE(is_alone_for_a_day(instance));
  alone_for(86'400'000);
  note_served(instance);
  CHECK_FALSE(read_file(alone));
  alone_for(86'400'000);
  {
    const FileLock owner = instance.own();
    CHECK_FALSE(is_alone_for_a_day(instance));
    CHECK_FALSE(read_file(alone));
  }
  note_alone(instance);
  CHECK_FALSE(is_alone_for_a_day(instance));
}

TEST_CASE("runtime files: a directory with names of digits alone is not an instance's") {
  const TempDir directory;
  const Config config = config_in(directory.path());
  const Instance instance(config, "work");
  std::filesystem::create_directories(instance.runtime());
  write_file(instance.runtime() / "20240101", "");
  write_file(instance.runtime() / "input-data.csv", "");
  CHECK_THROWS_AS(static_cast<void>(instance.own()), Error);
  write_file(instance.runtime() / "0.lock", "");  // of a pane: its others were removed
  CHECK(static_cast<bool>(instance.own()));
}

TEST_CASE(
    "left behind: an instance is it ten minutes after it was first seen without a server of its gateway") {
  const TempDir directory;
  const Config config = config_in(directory.path());
  const Instance instance(config, "check-1");
  std::filesystem::create_directories(instance.runtime());
  CHECK(left_behind(config, instance) == LeftBehind::no);
  mark_temporary(instance);
  {
    const FileLock served = FileLock::try_lock(gateway_lock_path(config, "check-1"));
    CHECK(left_behind(config, instance) == LeftBehind::not_yet);
    CHECK(read_file(instance.runtime() / "temporary") == "");
  }
  CHECK(left_behind(config, instance) == LeftBehind::not_yet);
  CHECK(read_file(instance.runtime() / "temporary") != "");
  CHECK(left_behind(config, instance) == LeftBehind::not_yet);
  const auto alone_for = [&](std::int64_t ms) {
    write_file(instance.runtime() / "temporary", std::to_string(steady_ms(Clock::now()) - ms));
  };
  alone_for(590'000);
  CHECK(left_behind(config, instance) == LeftBehind::not_yet);
  alone_for(600'000);
  CHECK(left_behind(config, instance) == LeftBehind::for_good);
  {
    const FileLock back = FileLock::try_lock(gateway_lock_path(config, "check-1"));
    CHECK(left_behind(config, instance) == LeftBehind::not_yet);
    CHECK(read_file(instance.runtime() / "temporary") == "");
    mark_left(instance);
    CHECK(left_behind(config, instance) == LeftBehind::not_yet);  // who said so is still at it
  }
  CHECK(left_behind(config, instance) == LeftBehind::for_good);
  mark_temporary(instance);  // its gateway came all the same
  CHECK(left_behind(config, instance) == LeftBehind::not_yet);
}
