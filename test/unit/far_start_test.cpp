#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/files.hpp"
#include "hosts/hosts.hpp"
#include "temp_files.hpp"

using namespace terminally;

namespace {

HostEntry host_named(const std::string& name) {
  HostEntry host;
  host.name = name;
  host.ssh = "build1";
  return host;
}

Config a_config(const test::TempDir& dir) {
  Config config;
  config.runtime_root = "/run/x";
  config.state_root = dir / "state";
  return config;
}

}  // namespace

TEST_CASE("far start A3, S1: what a person decided is passed on, and what is masked by name is not") {
  const test::TempDir dir;
  Config config = a_config(dir);
  config.view = View::rendered;
  config.redact = Redact::off;
  config.sync_window_ms = 1'234;
  config.history_limit = 77;
  config.max_duration_ms = 700;
  config.cols = 200;
  config.rows = 50;
  config.mask_env = {"SECRET"};
  config.mask_file = "/secrets";
  const std::vector<std::string> flags = {
      "--view",          "rendered", "--redact",          "off", "--sync-window-ms", "1234",
      "--history-limit", "77",       "--max-duration-ms", "700"};
  CHECK(far_start(host_named("a"), config, "work").flags == flags);
  config.default_timeout_ms = 5'000;
  config.on_timeout = OnTimeout::background;
  config.rows = 60;
  const std::vector<std::string> more = far_start(host_named("a"), config, "work").flags;
  CHECK(std::vector(more.begin() + static_cast<std::ptrdiff_t>(flags.size()), more.end()) ==
        std::vector<std::string>{"--default-timeout-ms", "5000", "--size", "200x60", "--on-timeout",
                                 "background"});
  config.plain_env = true;
  CHECK(far_start(host_named("a"), config, "work").flags.back() == "--plain-env");
}

TEST_CASE("far start A5: the gateway is the same after a restart, and another where anything of it is") {
  const test::TempDir dir;
  const Config config = a_config(dir);
  const std::string same = far_start(host_named("a"), config, "work").gateway;
  CHECK(far_start(host_named("a"), config, "work").gateway == same);
  Config elsewhere = config;
  elsewhere.state_root = dir / "other";
  std::vector<std::string> all = {same, far_start(host_named("b"), config, "work").gateway,
                                  far_start(host_named("a"), config, "play").gateway,
                                  far_start(host_named("a"), elsewhere, "work").gateway};
  std::ranges::sort(all);
  CHECK(std::ranges::adjacent_find(all) == all.end());
}

TEST_CASE("far start A5: only tabs of an instance that nobody named end with the server") {
  const test::TempDir dir;
  Config config = a_config(dir);
  HostEntry host = host_named("a");
  const FarStart unnamed = far_start(host, config, "s-1");
  CHECK(unnamed.temporary);
  CHECK(unnamed.instance == "s-1-" + unnamed.gateway.substr(0, 8));
  host.instance = "shared";
  CHECK_FALSE(far_start(host, config, "s-1").temporary);
  CHECK(far_start(host, config, "s-1").instance == "shared");
  host.instance.clear();
  config.instance = "work";
  CHECK_FALSE(far_start(host, config, "work").temporary);
}

TEST_CASE("far start E4: machines that look alike are told apart by what each has drawn") {
  const test::TempDir one;
  const test::TempDir other;
  Config config = a_config(one);
  const std::string first = far_start(host_named("a"), config, "work").gateway;
  std::filesystem::rename(one / "state", other / "kept");  // the same path on another machine
  const std::string second = far_start(host_named("a"), config, "work").gateway;
  CHECK(second != first);
  CHECK(far_start(host_named("a"), config, "work").gateway == second);
  std::filesystem::remove_all(one / "state");
  std::filesystem::rename(other / "kept", one / "state");
  CHECK(far_start(host_named("a"), config, "work").gateway == first);
}

TEST_CASE("far start E4: a number that was lost is drawn again, and one that cannot be read is not") {
  const test::TempDir dir;
  const Config config = a_config(dir);
  const std::string first = far_start(host_named("a"), config, "work").gateway;
  write_file(config.state_root / ".gateway-id", "");  // as a power loss leaves it
  const std::string second = far_start(host_named("a"), config, "work").gateway;
  CHECK(second != first);
  CHECK(read_file(config.state_root / ".gateway-id").value_or("").size() == 32);
  CHECK(far_start(host_named("a"), config, "work").gateway == second);
  std::filesystem::remove(config.state_root / ".gateway-id");
  std::filesystem::create_directory(config.state_root / ".gateway-id");
  CHECK_THROWS_AS(static_cast<void>(far_start(host_named("a"), config, "work")), Error);
  Config loop = config;
  loop.state_root = dir / "loop";
  std::filesystem::create_symlink("loop", loop.state_root);
  CHECK_THROWS_AS(static_cast<void>(far_start(host_named("a"), loop, "work")), Error);
  Config full = config;
  full.state_root = "/proc/none";  // takes no file
  CHECK(far_start(host_named("a"), full, "work").gateway == far_start(host_named("a"), full, "work").gateway);
}

TEST_CASE(
    "V2 far start: a kept connection of ssh is of one way to one machine, and where it can have a socket") {
  const test::TempDir dir;
  Config config = a_config(dir);
  const HostEntry host = host_named("a");
  const std::filesystem::path same = control_path(host, config);
  CHECK(same.parent_path() == "/run/x/.ssh");
  CHECK(control_path(host, config) == same);
  HostEntry moved = host;
  moved.ssh = "build2";
  HostEntry configured = host;
  configured.ssh_config = "/etc/other";
  for (const HostEntry& other : {moved, configured, host_named("b")}) {
    CHECK(control_path(other, config) != same);
  }
  HostEntry container = host;
  container.ssh.clear();
  CHECK(control_path(container, config).empty());
  for (const std::string& root :
       {"/run/" + std::string(80, 'x'), std::string("/run/a b"), std::string("/%h")}) {
    config.runtime_root = root;
    CHECK(control_path(host, config).empty());
  }
}

TEST_CASE(
    "V2 far start: an instance there has a short name, whatever the one here is called, and its own number") {
  const test::TempDir dir;
  const Config config = a_config(dir);
  const FarStart start = far_start(host_named("a"), config, std::string(32, 'x'));
  CHECK(start.instance == std::string(20, 'x') + "-" + start.gateway.substr(0, 8));
  const FarStart unnamed = far_start(host_named("a"), config, "s-1234");
  CHECK(unnamed.instance == "s-1234-" + unnamed.gateway.substr(0, 8));
  HostEntry named = host_named("a");
  named.instance = "shared";
  CHECK(far_start(named, config, "work").instance == "shared");
}
