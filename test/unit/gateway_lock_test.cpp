// A far server takes over the lock of its gateway: from whom, and from whom not.
#include "hosts/gateway_lock.hpp"

#include <doctest/doctest.h>

#include <boost/asio.hpp>
#include <string>

#include "base/files.hpp"
#include "base/process.hpp"
#include "event_loop.hpp"
#include "temp_files.hpp"

using namespace terminally;
using namespace terminally::test;

namespace {

struct LockScene {
  LockScene() {
    config.runtime_root = dir / "runtime";
    config.instance = "work";
    std::filesystem::create_directories(config.runtime_root);
    std::filesystem::permissions(config.runtime_root, std::filesystem::perms::owner_all);
  }
  [[nodiscard]] std::filesystem::path path() const { return config.runtime_root / ".gateway-work"; }

  TempDir dir;
  Config config;
};

}  // namespace

TEST_CASE("V2 gateway lock: who takes it from one that lingered is written there as one that serves") {
  for (const char* before : {"0a1b lingers", "0a1b", ""}) {
    LockScene scene;
    write_file(scene.path(), before);
    const FileLock lock = take_gateway_lock(scene.config, "0a1b", "00");
    CHECK(read_file(scene.path()) == "0a1b");
  }
}

TEST_CASE("V6 gateway lock: a server of the same gateway that began later is not ended") {
  LockScene scene;
  write_file(scene.dir / "gateway", "echo up; read -r line\n");
  boost::asio::io_context io;
  ChildProcess later(io.get_executor(), {"sh", "-c", "cd \"$1\" && exec sh gateway 0a1b 01 --instance work",
                                         "-", scene.dir.path().string()});
  REQUIRE(run(io, later.read_some()) == "up\n");
  const FileLock lock = take_gateway_lock(scene.config, "0a1b", "00");
  io.restart();
  io.poll();
  CHECK_FALSE(later.has_ended());
  later.end();
}
