#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "hosts/pipe_command.hpp"

using namespace terminally;

namespace {

FarStart a_start() {
  FarStart start;
  start.gateway = "0123456789abcdef";
  start.nonce = "00112233445566778899aabbccddeeff";
  start.instance = "work-01234567";
  start.flags = {"--view", "raw", "--plain-env"};
  return start;
}

HostEntry an_ssh_host() {
  HostEntry host;
  host.name = "build1";
  host.ssh = "me@build1";
  return host;
}

HostEntry a_container() {
  HostEntry host;
  host.name = "web";
  host.command = {"docker", "exec", "-i", "web"};
  host.program = "/opt/terminally-mcp";
  return host;
}

}  // namespace

TEST_CASE(
    "pipe: ssh is asked for no question, no terminal and no forwarding, and the destination stands behind "
    "--") {
  const Argv argv = pipe_argv(an_ssh_host(), a_start(), "/tmp/c");
  REQUIRE(argv.size() > 4);
  CHECK(argv.front() == "ssh");
  const auto has = [&](const std::string& word) { return std::ranges::find(argv, word) != argv.end(); };
  for (const char* word :
       {"-T", "BatchMode=yes", "LogLevel=ERROR", "ServerAliveInterval=5", "ServerAliveCountMax=2",
        "ControlMaster=auto", "ControlPath=/tmp/c", "ClearAllForwardings=yes"}) {
    CHECK_MESSAGE(has(word), word);
  }
  CHECK(argv[argv.size() - 3] == "--");
  CHECK(argv[argv.size() - 2] == "me@build1");
  CHECK(argv.back() ==
        "exec terminally-mcp gateway 0123456789abcdef 00112233445566778899aabbccddeeff --instance "
        "work-01234567 --view raw --plain-env");
  CHECK(!std::ranges::any_of(
      argv, [](const std::string& word) { return word.starts_with("StrictHostKeyChecking"); }));
}

TEST_CASE("pipe: any other command gets the program and its words behind it, without a shell") {
  FarStart start = a_start();
  start.temporary = true;
  const Argv argv = pipe_argv(a_container(), start, "");
  const Argv head(argv.begin(), argv.begin() + 6);
  CHECK(head == Argv{"docker", "exec", "-i", "web", "/opt/terminally-mcp", "gateway"});
  CHECK(argv.back() == "--temporary");
}

TEST_CASE("pipe T4: the directories for files there travel as digits, whatever is in their names") {
  HostEntry host = an_ssh_host();
  host.file_roots = {"/srv/$(touch x)", "/a 'b\"\n"};
  const std::string line = pipe_argv(host, a_start(), "").back();
  const std::size_t at = line.find(" --roots ");
  REQUIRE(at != std::string::npos);
  CHECK(decode_words(line.substr(at + 9)) == host.file_roots);
}

TEST_CASE("pipe A5: the words of people's commands arrive as they are, whatever is in them") {
  std::vector<std::string> words = {"exec", "", "--", "-oProxyCommand=x", "$(touch /tmp/x)", "a'b\"c"};
  for (int byte = 1; byte < 256; ++byte) {
    words.emplace_back(3, static_cast<char>(byte));
  }
  const std::string text = encode_words(words);
  CHECK(text.find_first_not_of("0123456789abcdef") == std::string::npos);
  CHECK(decode_words(text) == words);
  const Argv argv = relay_argv(an_ssh_host(), words, false);
  CHECK(argv.back() == "exec terminally-mcp relay --as build1 " + text);
  for (const char* wrong : {"", "6", "61", "zz00", "6100zz", "610"}) {
    CHECK_THROWS_AS(static_cast<void>(decode_words(wrong)), Error);
  }
  CHECK_THROWS_AS(static_cast<void>(relay_argv(a_container(), {"attach"}, true)), Error);
}

TEST_CASE("pipe H1: the place for its logs there is told, to a server and to people's commands") {
  HostEntry host = a_container();
  host.state_dir = "/data/terminally";
  const Argv argv = pipe_argv(host, a_start(), "");
  const auto flag = std::ranges::find(argv, "--state-dir");
  REQUIRE(argv.end() - flag >= 2);
  CHECK(*(flag + 1) == "/data/terminally");
  const std::vector<std::string> words = {"--state-dir", "/data/terminally", "tail", "@3"};
  CHECK(decode_words(relay_argv(host, {"tail", "@3"}, false).back()) == words);
  host.ssh = "build1";
  CHECK(pipe_argv(host, a_start(), "").back().find(" --state-dir /data/terminally") != std::string::npos);
}
