#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <exception>
#include <functional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/timeout.hpp"
#include "config_in.hpp"
#include "instance/history.hpp"
#include "instance/tab_ids.hpp"
#include "log/log_end.hpp"
#include "temp_files.hpp"

using namespace terminally;

namespace {

/// An instance with the records of one command, which has a key.
struct Kept {
  test::TempDir dir;
  Config config = test::config_in(dir.path());
  Instance instance = Instance(config, "kept");
  std::filesystem::path generation = instance.generation(3);
  std::filesystem::path records = generation / "pane-@5.commands";

  Kept() {
    std::filesystem::create_directories(generation);
    CommandRecord record;
    record.id = "01234567";
    record.nonce = "0123456789abcdef0123456789abcdef";
    record.command = "true";
    record.task_key = "key";
    record.cwd = "/";
    REQUIRE(CommandRecords(records).append(record).empty());
  }
};

/// What is thrown, not looked at: without a descriptor the sanitizer cannot tell what an object is.
std::exception_ptr thrown_by(const std::function<void()>& look) {
  try {
    look();
  } catch (...) {
    return std::current_exception();
  }
  return nullptr;
}

bool says_unknown(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const Error& error) {
    return error.code() == ErrorCode::io;
  }
}

bool is_unknown(const std::function<void()>& look) {
  const std::exception_ptr thrown = thrown_by(look);
  return thrown && says_unknown(thrown);
}

/// Nothing that is asked of it may take what cannot be read for what is not there.
void check_that_all_is_unknown(const Kept& kept) {
  CHECK(is_unknown([&] { static_cast<void>(find_by_key(kept.instance, "key")); }));
  CHECK(is_unknown([&] { static_cast<void>(find_by_key(kept.instance, "another")); }));
  CHECK(is_unknown([&] { static_cast<void>(read_history(kept.instance, std::nullopt, 9, {})); }));
}

}  // namespace

TEST_CASE("history C2: a key is found, and one that is not there is known not to be") {
  const Kept kept;
  REQUIRE(find_by_key(kept.instance, "key"));
  CHECK(find_by_key(kept.instance, "key")->window_id == WindowId{5});
  CHECK_FALSE(find_by_key(kept.instance, "another"));
  CHECK_FALSE(find_by_key(Instance(kept.config, "none"), "key"));  // no directory at all
  std::filesystem::create_directories(kept.instance.generation(4));
  CHECK(find_by_key(kept.instance, "key"));
}

TEST_CASE(
    "history C2: no descriptor left, a loop of links, a file in the place of a directory: nobody knows") {
  SUBCASE("no descriptor is left") {
    const Kept kept;
    rlimit before{};
    REQUIRE(::getrlimit(RLIMIT_NOFILE, &before) == 0);
    rlimit none = before;
    none.rlim_cur = 0;
    // UBSan looks at the first object of a type by a pipe, for which it needs descriptors.
    REQUIRE(thrown_by([] { throw Error(ErrorCode::io, "the first"); }));
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &none) == 0);
    const auto unknown = thrown_by([&] { static_cast<void>(find_by_key(kept.instance, "key")); });
    const auto unused = thrown_by([&] { static_cast<void>(first_unused_id(kept.instance)); });
    const auto newest = thrown_by([&] { static_cast<void>(kept.instance.newest_generation()); });
    const bool listens = kept.instance.server_listens();
    const int writer = log_writer(log_path(kept.generation, "@5"));
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &before) == 0);
    CHECK((unknown && says_unknown(unknown)));
    CHECK((unused && says_unknown(unused)));  // and no id is given twice for it
    CHECK((newest && says_unknown(newest)));
    CHECK(listens);       // no second tmux is started for it
    CHECK(writer == -1);  // and no log is swept
    CHECK_FALSE(kept.instance.server_listens());
    CHECK(log_writer(log_path(kept.generation, "@5")) == 0);
  }
  SUBCASE("the generation is a file") {
    const Kept kept;
    std::filesystem::remove_all(kept.generation);
    write_file(kept.generation, "");
    check_that_all_is_unknown(kept);
    CHECK(is_unknown([&] { static_cast<void>(first_unused_id(kept.instance)); }));
  }
  SUBCASE("the state directory is a loop of links") {
    const Kept kept;
    std::filesystem::remove_all(kept.instance.state());
    std::filesystem::create_directory_symlink(kept.instance.state(), kept.instance.state());
    check_that_all_is_unknown(kept);
    CHECK(is_unknown([&] { static_cast<void>(kept.instance.newest_generation()); }));
  }
  SUBCASE("the records are a directory, or a link that leads nowhere") {
    const Kept kept;
    std::filesystem::remove(kept.records);
    std::filesystem::create_directory(kept.records);
    check_that_all_is_unknown(kept);
    std::filesystem::remove(kept.records);
    std::filesystem::create_symlink("nowhere", kept.records);
    check_that_all_is_unknown(kept);
  }
  SUBCASE("the notes of ids are a directory") {
    const Kept kept;
    std::filesystem::create_directory(kept.instance.state() / "ids");
    CHECK(is_unknown([&] { static_cast<void>(first_unused_id(kept.instance)); }));
  }
}

TEST_CASE("history C2: what may not be read is not absent") {
  if (::geteuid() == 0) {
    return;  // root may read all
  }
  const Kept kept;
  const bool of_records = true;
  for (const bool which : {of_records, !of_records}) {
    const std::filesystem::path& closed = which == of_records ? kept.records : kept.generation;
    ::chmod(closed.c_str(), 0);
    check_that_all_is_unknown(kept);
    ::chmod(closed.c_str(), 0700);
  }
}

TEST_CASE("history: a command that was running is told by whether its tab is open (V1)") {
  Kept kept;
  CommandRecord record;
  record.id = "89abcdef";
  record.nonce = "89abcdef0123456789abcdef01234567";
  record.command = "make";
  record.cwd = "/";
  record.state = CommandState::running;
  record.started_at_ms = 1;
  record.started_steady_ms = steady_ms(Clock::now()) - 5'000;
  REQUIRE(CommandRecords(kept.records).append(record).empty());
  const auto told = [&](const std::vector<WindowId>& open) {
    return read_history(kept.instance, WindowId{5}, 9, open).back().record;
  };
  const CommandRecord running = told({WindowId{4}, WindowId{5}});
  CHECK(running.state == CommandState::running);
  CHECK(running.duration_ms >= 5'000);
  const CommandRecord closed = told({WindowId{4}});
  CHECK(closed.state == CommandState::failed);
  CHECK(closed.reason == Reason::tmux_server_lost);
}
