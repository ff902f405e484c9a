#include "instance/peers.hpp"

#include <doctest/doctest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/asio.hpp>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/descriptors.hpp"
#include "config_in.hpp"
#include "event_loop.hpp"
#include "instance/left_behind.hpp"
#include "instance/starting_lock.hpp"
#include "other_process.hpp"
#include "temp_files.hpp"
#include "tmux/server/instance_end.hpp"
#include "tmux/server/instance_owner.hpp"

namespace terminally {
namespace {

using test::OtherProcess;
using test::TempDir;

struct Place {
  TempDir directory;
  Config config = test::config_in(directory.path());
  Instance instance{config, "unit"};

  Place() { std::filesystem::create_directories(instance.runtime()); }
};

}  // namespace

TEST_CASE("peers: a server is known as long as it lives, however it ends") {
  const Place of;
  const Peers peers(of.instance);
  CHECK(peers.others().empty());
  FileLock joined = peers.join();
  CHECK(joined);
  CHECK(peers.others().empty());
  CHECK(std::filesystem::exists(peers.news()));
  OtherProcess other([&peers] { return peers.join(); });
  const pid_t pid = other.pid();
  CHECK(peers.others() == std::vector<int>{pid});
  const auto file = of.instance.runtime() / "peers" / std::to_string(pid);
  CHECK(std::filesystem::exists(file));
  other.kill();
  CHECK(peers.others().empty());
  CHECK_FALSE(std::filesystem::exists(file));
  peers.leave(std::move(joined));
  CHECK_FALSE(std::filesystem::exists(of.instance.runtime() / "peers" / std::to_string(::getpid())));
  peers.remove_directory();
  CHECK_FALSE(std::filesystem::exists(of.instance.runtime() / "peers"));
}

TEST_CASE("peers: an instance that a server works on is not cleaned, also where nobody keeps it") {
  const Place of;
  std::filesystem::permissions(of.config.runtime_root, std::filesystem::perms::owner_all);
  std::filesystem::permissions(of.instance.runtime(), std::filesystem::perms::owner_all);
  test::append_to(of.instance.runtime() / "lock", "1");
  boost::asio::io_context io(1);
  OtherProcess other([&of] { return Peers(of.instance).join(); });
  CHECK(test::run(io, clean_instance(of.config, "unit")) == Cleaned::owned);
  other.kill();
  CHECK(test::run(io, clean_instance(of.config, "unit")) == Cleaned::removed);
  CHECK_FALSE(std::filesystem::exists(of.instance.runtime()));
}

TEST_CASE(
    "starting lock: who opens tabs shares it, who starts tmux has it alone, and it ends with its process") {
  const Place of;
  std::optional<StartingLock> opens = StartingLock::try_shared(of.instance);
  CHECK(opens);
  CHECK(StartingLock::try_shared(of.instance));
  CHECK_FALSE(StartingLock::try_alone(of.instance));
  opens.reset();
  {
    const auto starts = StartingLock::try_alone(of.instance);
    CHECK(starts);
    CHECK(StartingLock::holder(of.instance) == ::getpid());
    CHECK_FALSE(StartingLock::try_alone(of.instance));
    CHECK_FALSE(StartingLock::try_shared(of.instance));
  }
  OtherProcess other([&of] { return StartingLock::try_alone(of.instance); });
  CHECK(StartingLock::holder(of.instance) == other.pid());
  CHECK_FALSE(StartingLock::try_shared(of.instance));
  other.kill();
  CHECK(StartingLock::try_alone(of.instance));
}

TEST_CASE("instance owner: who becomes the keeper by a call is told, and the instance is no longer alone") {
  const TempDir directory;
  Config config = test::config_in(directory.path());
  config.instance = "unit";
  const Instance instance(config, "unit");
  boost::asio::io_context io(1);
  FileLock keeper = instance.own();
  note_alone(instance);
  InstanceOwner owner(io.get_executor(), config);
  int told = 0;
  owner.on_keeping([&] { ++told; });
  test::run(io, owner.own_to_find());
  CHECK_FALSE(owner.keeps());
  CHECK_FALSE(std::filesystem::exists(instance.runtime() / "alone"));
  keeper.release();
  test::run(io, owner.own_to_find());
  CHECK(owner.keeps());
  CHECK(told == 1);
}

}  // namespace terminally
