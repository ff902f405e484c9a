#include "instance/log_store.hpp"

#include <doctest/doctest.h>

#include <boost/asio.hpp>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <optional>
#include <string>

#include "base/descriptors.hpp"
#include "base/files.hpp"
#include "temp_files.hpp"

#include <fcntl.h>
#include <sys/file.h>

using namespace terminally;
namespace fs = std::filesystem;

namespace {

/// A state directory with logs in it, as servers leave them.
class Store {
 public:
  Store() {
    config_.state_root = directory_ / "state";
    config_.runtime_root = directory_ / "run";
    config_.min_free_bytes = 0;
    config_.log_total_bytes = std::numeric_limits<std::uint64_t>::max();
    fs::create_directories(generation());
  }

  Config& config() { return config_; }
  [[nodiscard]] fs::path generation() const { return config_.state_root / "work" / "1"; }
  [[nodiscard]] fs::path file(const std::string& name) const { return generation() / name; }
  [[nodiscard]] bool has(const std::string& name) const { return fs::exists(file(name)); }

  /// A log of three rotated segments and a live one, 1,000 bytes each.
  void add(const std::string& stem) const {
    for (const char* offset : {"00000000000000000000", "00000000000000001000", "00000000000000002000"}) {
      write_file(file(stem + "." + offset + ".log"), std::string(1'000, 'x'));
    }
    write_file(file(stem + ".log"), std::string(1'000, 'x'));
    write_file(file(stem + ".log.index"), "");
  }

  /// It was closed this many seconds ago, the last look being the first of all.
  void close(const std::string& stem, std::uint64_t seconds) const {
    REQUIRE(seconds < 1'000'000);
    write_file(file(stem + ".closed"), std::to_string(1'000'000 - seconds) + "\n");
  }

  /// `meanwhile`: runs again and again beside it.
  void sweep(const std::function<void()>& meanwhile = nullptr) {
    timespec now{};
    ::clock_gettime(CLOCK_BOOTTIME, &now);
    std::string boot = read_file("/proc/sys/kernel/random/boot_id").value_or("none");
    boot.erase(boot.find_last_not_of('\n') + 1);
    write_file(config_.state_root / ".clock",
               boot + " " + std::to_string(now.tv_sec) + " 1800000000 1000000\n");
    boost::asio::io_context io(1);
    std::exception_ptr failure;
    bool over = false;
    boost::asio::co_spawn(io, sweep_logs(config_), [&](const std::exception_ptr& error) {
      failure = error;
      over = true;
    });
    while (!over && io.run_one() > 0) {
      if (meanwhile) {
        meanwhile();
      }
    }
    CHECK_FALSE(failure);
  }

 private:
  test::TempDir directory_;
  Config config_;
};

/// What terminally-log does as long as it lives.
UniqueFd hold(const fs::path& sidecar) {
  UniqueFd file(::open(sidecar.c_str(), O_RDWR | O_CLOEXEC));
  REQUIRE(::flock(file.get(), LOCK_EX | LOCK_NB) == 0);
  return file;
}

/// A tab that was closed a while ago, and one that is still written.
class TwoTabs : public Store {
 public:
  TwoTabs() {
    add("pane-@1");
    close("pane-@1", 100);
    add("pane-@2");
    writer_ = hold(file("pane-@2.log.index"));
  }

 private:
  UniqueFd writer_;
};

}  // namespace

TEST_CASE("log store: without need nothing is removed, and a closed tab is noted") {
  Store store;
  store.add("pane-@1");
  store.sweep();
  CHECK(store.has("pane-@1.00000000000000000000.log"));
  CHECK(store.has("pane-@1.log"));
  CHECK(store.has("pane-@1.closed"));
}

TEST_CASE("log store: logs of tabs that have been closed for long go, with all that belongs to them") {
  Store store;
  store.add("pane-@1");
  store.close("pane-@1", 8 * 86'400);
  store.add("pane-@2");
  store.close("pane-@2", 6 * 86'400);
  store.sweep();
  CHECK_FALSE(store.has("pane-@1.log"));
  CHECK_FALSE(store.has("pane-@1.00000000000000002000.log"));
  CHECK(store.has("pane-@2.00000000000000000000.log"));
}

TEST_CASE("log store: above the total the segments of closed tabs go first, then their logs") {
  TwoTabs store;
  store.config().log_total_bytes = 6'500;
  store.sweep();
  CHECK_FALSE(store.has("pane-@1.00000000000000001000.log"));
  CHECK(store.has("pane-@1.00000000000000002000.log"));
  CHECK(store.has("pane-@1.log"));
  CHECK(store.has("pane-@2.00000000000000000000.log"));
  store.close("pane-@1", 100);
  store.config().log_total_bytes = 2'500;
  store.sweep();
  CHECK_FALSE(store.has("pane-@1.log"));
  CHECK_FALSE(store.has("pane-@2.00000000000000001000.log"));
  CHECK(store.has("pane-@2.00000000000000002000.log"));
}

TEST_CASE(
    "log store: for want of free space rotated segments go, but never what is written to, nor the newest") {
  TwoTabs store;
  store.config().min_free_bytes = std::numeric_limits<std::uint64_t>::max();
  store.sweep();
  CHECK_FALSE(store.has("pane-@1.00000000000000002000.log"));
  CHECK(store.has("pane-@1.log"));
  CHECK_FALSE(store.has("pane-@2.00000000000000001000.log"));
  CHECK(store.has("pane-@2.00000000000000002000.log"));
  CHECK(store.has("pane-@2.log"));
}

TEST_CASE("log store: one server at a time") {
  Store store;
  store.add("pane-@1");
  store.close("pane-@1", 8 * 86'400);
  const FileLock other = FileLock::try_lock(store.config().state_root / ".sweep.lock");
  store.sweep();
  CHECK(store.has("pane-@1.log"));
}

TEST_CASE("log store: a note of the closing that lies in the future begins anew (V9)") {
  Store store;
  store.add("pane-@1");
  write_file(store.file("pane-@1.closed"), "9000000\n");
  store.sweep();
  const std::uint64_t since = std::stoull(read_file(store.file("pane-@1.closed")).value_or(""));
  CHECK(since >= 1'000'000);
  CHECK(since < 2'000'000);
}

TEST_CASE("log store: while the machine was off, a clock that jumped ages no log by more than a day (V9)") {
  const SureTime last{.boot = "one", .boot_s = 100, .wall_s = 1'000, .sure_s = 50};
  CHECK(with_sure_time(last, {.boot = "two", .boot_s = 5, .wall_s = 1'000 + 3'600}).sure_s == 50 + 3'600);
  CHECK(with_sure_time(last, {.boot = "two", .boot_s = 5, .wall_s = 1'000'000'000}).sure_s == 50 + 86'400);
  CHECK(with_sure_time(last, {.boot = "two", .boot_s = 5, .wall_s = 1}).sure_s == 50);
  CHECK(with_sure_time(last, {.boot = "one", .boot_s = 107, .wall_s = 1'000'000'000}).sure_s == 57);
  CHECK(with_sure_time(last, {.boot = "one", .boot_s = 1, .wall_s = 1'000'000'000}).sure_s == 50);
}

TEST_CASE("log store: a log whose number cannot be noted stays, and no later tab has its id (V5)") {
  Store store;
  store.add("pane-@1");
  store.close("pane-@1", 8 * 86'400);
  fs::create_directory(store.config().state_root / "work" / "ids");
  store.sweep();
  CHECK(store.has("pane-@1.log"));
  CHECK(store.has("pane-@1.00000000000000000000.log"));
  fs::remove(store.config().state_root / "work" / "ids");
  store.sweep();
  CHECK_FALSE(store.has("pane-@1.log"));
  CHECK(fs::exists(store.config().state_root / "work" / "ids"));
}

TEST_CASE("log store: a log that has got a writer since it was looked at stays (V6)") {
  Store store;
  store.add("pane-@1");
  store.close("pane-@1", 9 * 86'400);
  store.add("pane-@2");
  store.close("pane-@2", 8 * 86'400);
  std::optional<UniqueFd> writer;
  store.sweep([&] {
    if (!writer && !store.has("pane-@1.00000000000000000000.log")) {  // the longest closed goes first
      writer.emplace(hold(store.file("pane-@2.log.index")));
    }
  });
  REQUIRE(writer);
  CHECK_FALSE(store.has("pane-@1.log"));
  CHECK(store.has("pane-@2.log"));
  CHECK(store.has("pane-@2.00000000000000000000.log"));
}

TEST_CASE(
    "log store: the directory of an unnamed instance goes with its last log, unless it still runs (V2)") {
  for (const bool runs : {true, false}) {
    CAPTURE(runs);
    Store store;
    store.add("pane-@1");
    store.close("pane-@1", 8 * 86'400);
    write_file(store.config().state_root / "work" / "unnamed", "");
    if (runs) {
      fs::create_directories(store.config().runtime_root / "work");
    }
    store.sweep();
    CHECK_FALSE(store.has("pane-@1.log"));
    CHECK(fs::exists(store.config().state_root / "work") == runs);
    CHECK(fs::exists(store.config().state_root / "work" / "unnamed") == runs);
  }
}
