// The end of an instance: what is asked, what is killed, what is left. tmux is a program that notes its
// calls.
#include "tmux/server/instance_end.hpp"

#include <doctest/doctest.h>
#include <signal.h>

#include <boost/asio.hpp>
#include <filesystem>
#include <string>

#include "base/files.hpp"
#include "config_in.hpp"
#include "event_loop.hpp"
#include "instance/instance.hpp"
#include "paper_panes.hpp"
#include "system/proc.hpp"
#include "temp_files.hpp"

namespace terminally {
namespace {

struct EndedInstance {
  boost::asio::io_context io{1};
  test::TempDir directory;
  std::filesystem::path asked = directory / "asked";
  Config config = test::config_in(directory.path());
  Instance instance{config, "work"};

  EndedInstance() {
    config.tmux = directory / "tmux";
    write_file(config.tmux, "#!/bin/sh\n: >> '" + asked.string() + "'\n");
    std::filesystem::permissions(config.tmux, std::filesystem::perms::owner_all);
    for (const auto& made :
         {config.runtime_root, instance.runtime(), config.state_root, instance.state(), instance.files()}) {
      make_private_directory(made);
    }
  }
  void end(int server_pid) { test::run(io, end_instance(config, instance, server_pid)); }
};

}  // namespace

TEST_CASE("instance end: tmux is asked to end, but not one that stands still; both are gone then (V7)") {
  for (const bool stands_still : {false, true}) {
    CAPTURE(stands_still);
    EndedInstance ending;
    const test::PaperServer server(ending.instance.socket(), ending.instance.cookie());
    if (stands_still) {
      REQUIRE(::kill(server.pid(), SIGSTOP) == 0);
      REQUIRE(test::eventually([&] { return is_stopped(server.pid()); }));
    }
    ending.end(server.pid());
    CHECK(std::filesystem::exists(ending.asked) == !stands_still);
    CHECK(test::eventually([&] { return !is_alive(server.pid()); }));
  }
}

TEST_CASE("instance end: a log writer that does not end by itself is killed behind all others (V5)") {
  EndedInstance ending;
  const std::string name = "TERMINALLY_NAME=" + ending.instance.cookie();
  const std::string program = ending.directory / "terminally-log";
  std::filesystem::create_symlink("/bin/cat", program);
  const test::PipedProgram writer({program}, {name});
  REQUIRE(test::eventually([&] { return process_has_environment(writer.pid(), name); }));
  ending.end(0);
  CHECK(test::eventually([&] { return !is_alive(writer.pid()); }));
}

TEST_CASE("instance end: its directories go with all that is ours in them, wherever they are") {
  EndedInstance ending;
  for (const auto& directory : {ending.instance.runtime(), ending.instance.files()}) {
    write_file(directory / "3.run", "");
    write_file(directory / "0bf41c2a", "");
  }
  ending.end(0);
  CHECK_FALSE(std::filesystem::exists(ending.instance.runtime()));
  CHECK_FALSE(std::filesystem::exists(ending.instance.files()));
}

}  // namespace terminally
