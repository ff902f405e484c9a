#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/digests.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "base/process.hpp"
#include "event_loop.hpp"
#include "hosts/people.hpp"
#include "hosts/push.hpp"
#include "temp_files.hpp"

using namespace terminally;

namespace {

std::vector<HostEntry> two_hosts() {
  HostEntry one;
  one.name = "build1";
  one.ssh = "build1";
  HostEntry other;
  other.name = "web";
  other.command = {"docker"};
  return {one, other};
}

/// The words as they go there, joined; empty: it is a command for this side.
std::string gone_there(const std::vector<std::string>& words, std::size_t tab) {
  const auto far = far_words(words, tab, two_hosts());
  std::string text = far ? far->host.name + ":" : "";
  for (const std::string& word : far ? far->words : std::vector<std::string>()) {
    text += " " + word;
  }
  return text;
}

}  // namespace

TEST_CASE("people: a command on a tab of a host goes there, from the subcommand on") {
  CHECK(gone_there({"tail", "build1:@3", "-f"}, 1) == "build1: tail @3 -f");
  CHECK(gone_there({"tail", "-n", "5", "web:main"}, 3) == "web: tail -n 5 main");
  CHECK(gone_there({"exec", "build1:a b", "--", "echo", "web:@1"}, 1) == "build1: exec a b -- echo web:@1");
  CHECK(gone_there({"history", "web:", "-n", "5"}, 1) == "web: history -n 5");
  CHECK(gone_there({"exec", "web:", "--", "make"}, 1) == "web: exec -- make");
  CHECK(far_words({"attach", "build1:@3"}, 1, two_hosts())->draws);
  CHECK(!far_words({"tail", "build1:@3"}, 1, two_hosts())->draws);
}

TEST_CASE("people: what is of this side stays") {
  CHECK(gone_there({"tail", "@3"}, 1).empty());
  CHECK(gone_there({"tail", "other:@3"}, 1).empty());
  CHECK(gone_there({"exec", "@3", "echo", "build1:@3"}, 1).empty());
  CHECK(gone_there({"tail", "/logs/build1:x"}, 1).empty());
}

TEST_CASE("push: the script has nothing that a login shell reads in its own way, and names the hash") {
  const std::string script = push_script(".local/x", "terminally-mcp", std::string(64, 'a'), 17, true);
  CHECK(script.find_first_of("'\\`!\n") == std::string::npos);
  CHECK(script.find(std::string(64, 'a')) != std::string::npos);
  CHECK(script.find("head -c 17 ") != std::string::npos);
  CHECK(script.find("8675309") == std::string::npos);  // what it is to compute
  CHECK(script.starts_with("d=\"$HOME/.local/x\";"));
}

TEST_CASE(
    "push H1: a directory that a person names is taken as it is, and only one that means nothing to a "
    "shell") {
  const std::string script = push_script("/data/x", "terminally-mcp", std::string(64, 'a'), 17, true);
  CHECK(script.starts_with("d=\"/data/x\";"));
  check_push_directory("");
  check_push_directory("/data/a-b_c.d+e");
  for (const char* wrong : {"data", "~/data", "/a b", "/$(touch x)", "/a'", "/a\"b", "/a;b", "/a\nb"}) {
    CHECK_THROWS_AS(check_push_directory(wrong), Error);
  }
}

TEST_CASE("V4 push: what does not arrive whole leaves nothing there, and what does leaves itself alone") {
  const test::TempDir dir;
  const std::string content = "echo pushed\n";
  const auto pushed = [&](const std::string& hash) {
    const std::string script = push_script((dir / "to").string(), "program", hash, content.size(), false);
    const ProcessResult done = run_and_wait(
        {"sh", "-c", "printf %s \"$1\" | sh -c \"$2\"", "-", content, script}, std::chrono::seconds(20));
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(dir / "to")) {
      names.push_back(entry.path().filename());
    }
    return std::pair(done.exit_code == 0, names);
  };
  CHECK(pushed(std::string(64, '0')) == std::pair(false, std::vector<std::string>()));
  CHECK(pushed(sha256_hex(content)) == std::pair(true, std::vector<std::string>{"program"}));
  CHECK(pushed(std::string(64, '0')) == std::pair(false, std::vector<std::string>{"program"}));
}

TEST_CASE("push: the name of the file here is no word of a shell there") {
  const test::TempDir dir;
  const std::filesystem::path program = dir / "my prog;echo x >$HOME.evil";
  write_file(program, "#!/bin/sh\n");
  HostEntry host;
  host.name = "web";
  host.command = {"env", "HOME=" + (dir / "home").string()};
  std::filesystem::create_directory(dir / "home");
  boost::asio::io_context io;
  const std::string there = test::run(io, push_program(host, {program}, "1", ""));
  CHECK(there.starts_with((dir / "home/.local/share/terminally-mcp/1-").string()));
  CHECK(there.ends_with("/terminally-mcp"));
  CHECK(read_file(there) == "#!/bin/sh\n");
  CHECK_FALSE(std::filesystem::exists(dir / "home.evil"));
}
