#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "base/error.hpp"
#include "base/files.hpp"
#include "hosts/hosts_file.hpp"
#include "temp_files.hpp"

using namespace terminally;

namespace {

/// Why hosts.json is refused; empty: it is not.
std::string refusal_of(const std::string& text) {
  try {
    static_cast<void>(parse_hosts(text, "hosts.json"));
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

bool host_is_taken(const HostEntry& host) {
  try {
    check_host(host);
    return true;
  } catch (const Error&) {
    return false;
  }
}

HostEntry ssh_host(const std::string& destination) {
  HostEntry host;
  host.name = "build1";
  host.ssh = destination;
  return host;
}

}  // namespace

TEST_CASE("hosts.json: what doc/hosts.md names is read, and written so that it is read as the same") {
  const auto hosts = parse_hosts(
      R"({"web": {"command": ["docker", "exec", "-i", "web"], "terminal": ["docker", "exec", "-it", "web"],
          "program": "/opt/terminally-mcp", "instance": "shared", "state_dir": "/data/t", "file_roots": ["/srv/a b", "/"]},
          "build1": {"ssh": "me@build1", "ssh_config": "/etc/my ssh", "program": "~/bin/terminally-mcp"}})",
      "hosts.json");
  REQUIRE(hosts.size() == 2);
  CHECK(hosts[0].name == "build1");
  CHECK(hosts[0].ssh == "me@build1");
  CHECK(hosts[0].program == "~/bin/terminally-mcp");
  CHECK(hosts[1].command == std::vector<std::string>{"docker", "exec", "-i", "web"});
  CHECK(hosts[1].instance == "shared");
  CHECK(hosts[1].state_dir == "/data/t");
  CHECK(hosts[1].file_roots == std::vector<std::string>{"/srv/a b", "/"});
  for (const char* roots : {R"(["srv"])", R"([""])", R"("/srv")", R"(["~/x"])", R"(["/a\u0000b"])"}) {
    CHECK_THROWS_AS(
        static_cast<void>(parse_hosts(R"({"web": {"ssh": "web", "file_roots": )" + std::string(roots) + "}}",
                                      "hosts.json")),
        Error);
  }
  CHECK(parse_hosts(write_hosts(hosts), "again") == hosts);
  CHECK(parse_hosts("{}", "none").empty());
}

TEST_CASE("hosts.json: each mistake is refused by its name") {
  CHECK(refusal_of("[]").find("must be an object") != std::string::npos);
  CHECK(refusal_of("{").find("not JSON") != std::string::npos);
  CHECK(refusal_of(R"({"a": {"ssh": "x"}, "a": {"ssh": "y"}})") != "");
  CHECK(refusal_of(R"({"a": {}})").find("has neither ssh") != std::string::npos);
  CHECK(refusal_of(R"({"a": {"ssh": "x", "command": ["y"]}})").find("has both ssh") != std::string::npos);
  CHECK(refusal_of(R"({"a": {"ssh": "x", "port": 22}})").find("hosts.json: a.port") != std::string::npos);
  CHECK(refusal_of(R"({"a": {"ssh": 7}})").find("a.ssh: must be a string") != std::string::npos);
  CHECK(refusal_of(R"({"a": {"command": "docker exec"}})").find("a.command") != std::string::npos);
  CHECK(refusal_of(R"({"a": {"command": []}})") != "");
  CHECK(refusal_of(R"({"a": {"command": [""]}})") != "");
  CHECK(refusal_of(R"({"a": {"command": ["-x"]}})").find("starts with \"-x\"; the first word") !=
        std::string::npos);
  CHECK(refusal_of(R"({"a": {"ssh": "x", "ssh_config": "relative"}})").find("ssh_config") !=
        std::string::npos);
  CHECK(refusal_of(R"({"a": {"ssh": "x", "state_dir": "relative"}})").find("a.state_dir") !=
        std::string::npos);
  CHECK(refusal_of(R"({"a b": {"ssh": "x"}})").find("is no name of a host") != std::string::npos);
  CHECK(refusal_of(R"({"a": {"command": ["x"], "program": "~/p"}})").find("a.program") != std::string::npos);
}

TEST_CASE("hosts.json S3: of every byte, only what means nothing to a shell or to ssh is taken") {
  const std::string plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
  for (int byte = 1; byte < 256; ++byte) {
    const std::string text(1, static_cast<char>(byte));
    const bool alnum = plain.find(text) != std::string::npos;
    HostEntry host = ssh_host("a" + text + "b");
    CHECK_MESSAGE(host_is_taken(host) == (alnum || std::string("._@:/+%[]-").find(text) != std::string::npos),
                  byte);
    host = ssh_host("b");
    host.program = "/a" + text;
    CHECK_MESSAGE(host_is_taken(host) == (alnum || std::string("._/+-~").find(text) != std::string::npos),
                  byte);
    host = ssh_host("b");
    host.name = "a" + text;
    CHECK_MESSAGE(host_is_taken(host) == (alnum || std::string("._-").find(text) != std::string::npos), byte);
    host = ssh_host("b");
    host.instance = "a" + text;
    CHECK_MESSAGE(host_is_taken(host) == (alnum || std::string("._-").find(text) != std::string::npos), byte);
    host = ssh_host("b");
    host.state_dir = "/a" + text;
    CHECK_MESSAGE(host_is_taken(host) == (alnum || std::string("._/+-").find(text) != std::string::npos),
                  byte);
    // What no shell reads may have any byte that the file can carry.
    host = ssh_host("b");
    host.file_roots = {"/" + text};
    CHECK_MESSAGE(host_is_taken(host) == (byte < 128), byte);
    host = ssh_host("");
    host.command = {"a" + text};
    CHECK_MESSAGE(host_is_taken(host) == (byte < 128), byte);
  }
  for (const char* flag : {"-oProxyCommand=touch /tmp/x", "-oProxyCommand=x", "-", "--", "-Fx"}) {
    CHECK(!host_is_taken(ssh_host(flag)));
    HostEntry host = ssh_host("b");
    host.program = flag;
    CHECK(!host_is_taken(host));
    host = ssh_host("b");
    host.name = flag;
    CHECK(!host_is_taken(host));
  }
  CHECK(!host_is_taken(ssh_host(std::string("a\0b", 3))));
}

TEST_CASE("hosts.json S3: a file that somebody else could have written is not used") {
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("terminally-hosts-" + std::to_string(::getpid()) + ".json");
  CHECK(read_hosts(path).empty());
  write_file(path, R"({"a": {"ssh": "x"}})");
  CHECK(read_hosts(path).size() == 1);
  for (const mode_t mode : {mode_t{0620}, mode_t{0602}, mode_t{0666}}) {
    ::chmod(path.c_str(), mode);
    CHECK_THROWS_AS(static_cast<void>(read_hosts(path)), Error);
  }
  ::chmod(path.c_str(), 0600);
  write_file(path, std::string((1U << 20U) + 1, ' '));
  CHECK_THROWS_AS(static_cast<void>(read_hosts(path)), Error);
  remove_file(path);
  CHECK_THROWS_AS(static_cast<void>(read_hosts(std::filesystem::temp_directory_path())), Error);
}

TEST_CASE("hosts.json S3: one that somebody else could put there, or lead to, is not used") {
  const test::TempDir dir;
  const std::filesystem::path open_to_all = dir / "open";
  std::filesystem::create_directory(open_to_all);
  std::filesystem::create_directory(dir / "own");
  write_file(dir / "own/hosts.json", R"({"a": {"ssh": "x"}})");
  write_file(open_to_all / "hosts.json", R"({"a": {"ssh": "x"}})");
  std::filesystem::create_symlink("own/hosts.json", dir / "link");
  std::filesystem::create_symlink(dir / "own/hosts.json", open_to_all / "link");
  std::filesystem::create_symlink("open/link", dir / "by_others");
  std::filesystem::create_directory(open_to_all / "below");
  write_file(open_to_all / "below/hosts.json", R"({"a": {"ssh": "x"}})");
  std::filesystem::create_directory_symlink("../own", open_to_all / "way");
  CHECK(read_hosts(dir / "link").size() == 1);
  CHECK(read_hosts(dir / "by_others").size() == 1);
  for (const auto& [mode, used] : {std::pair<mode_t, bool>(0777, false), {01777, true}, {0775, true}}) {
    CAPTURE(mode);
    REQUIRE(::chmod(open_to_all.c_str(), mode) == 0);
    for (const char* name :
         {"open/hosts.json", "open/link", "by_others", "open/below/hosts.json", "open/way/hosts.json"}) {
      CAPTURE(name);
      if (used) {
        CHECK(read_hosts(dir / name).size() == 1);
      } else {
        CHECK_THROWS_WITH_AS(static_cast<void>(read_hosts(dir / name)),
                             doctest::Contains("its directory and the links to it must be yours or root's"),
                             Error);
      }
    }
  }
  if (::geteuid() == 0) {
    REQUIRE(::lchown((dir / "link").c_str(), 4'321, 4'321) == 0);
    CHECK_THROWS_AS(static_cast<void>(read_hosts(dir / "link")), Error);
    REQUIRE(::lchown((open_to_all / "way").c_str(), 4'321, 4'321) == 0);
    CHECK_THROWS_AS(static_cast<void>(read_hosts(open_to_all / "way/hosts.json")), Error);
    REQUIRE(::chown((dir / "own").c_str(), 4'321, 4'321) == 0);
    CHECK_THROWS_AS(static_cast<void>(read_hosts(dir / "own/hosts.json")), Error);
  }
}
