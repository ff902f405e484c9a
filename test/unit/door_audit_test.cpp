// The lines of the audit log, and the file that has them.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <fstream>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "base/descriptors.hpp"
#include "base/files.hpp"
#include "calls/audit_line.hpp"
#include "calls/audit_log.hpp"
#include "secrets/text_guard.hpp"
#include "temp_files.hpp"

using namespace terminally;

namespace {

using nlohmann::json;
using nlohmann::ordered_json;

const std::string kSomeToken = "ghp_" + std::string(36, 'a');

/// A call that ended well, of the tool "echo" where nothing else is said.
struct AuditScene {
  explicit AuditScene(json given, std::string_view method = "tools/call") : params(std::move(given)) {
    by.identity = "http exec";
    call.method = method;
    if (method != "tools/call") {
      call.tool = "";
    }
  }

  ordered_json arguments() {
    TextGuard guard(std::make_shared<const Secrets>(Secrets::Options{}));
    return audited_arguments(call, &guard);
  }

  PeerSettings by;
  json params;
  EndedCall call{by,     "claude-code 2.1", "tools/call", "echo",
                 params, CallOutcome::ok,   "",           std::chrono::milliseconds(12)};
};

json arguments_of_call(json arguments) {
  return {{"name", "echo"}, {"arguments", std::move(arguments)}, {"_meta", {{"progressToken", 1}}}};
}

}  // namespace

TEST_CASE("audit: secrets are masked, and what may be one has its length alone") {
  AuditScene scene(arguments_of_call({{"command", "curl -H 'X: " + kSomeToken + "'"},
                                      {"text", "hunter2"},
                                      {"keys", {"h", "u"}},
                                      {"content", "password"},
                                      {"env", {{"NAME", "value"}}},
                                      {kSomeToken, 1},
                                      {"deep", {{"list", {kSomeToken, true}}}}}));
  const ordered_json shown = scene.arguments();
  CHECK(shown.dump().find("ghp_") == std::string::npos);
  CHECK(shown["command"] == "curl -H 'X: «redacted:github»'");
  CHECK(shown["text"] == "(7 bytes)");
  CHECK(shown["keys"].dump() == R"x(["(1 bytes)","(1 bytes)"])x");
  CHECK(shown["content"] == "(8 bytes)");
  CHECK(shown["env"].dump() == "{\"NAME\":\"(5 bytes)\"}");
  CHECK(shown["deep"]["list"][1] == true);
  CHECK_FALSE(shown.contains("_meta"));
}

TEST_CASE("audit: of other methods the params are told, without _meta") {
  AuditScene scene(json::parse(R"({"uri":"file:///a","text":"a","_meta":{}})"), "resources/read");
  CHECK(scene.arguments().dump() == R"({"text":"a","uri":"file:///a"})");
  AuditScene numbers(arguments_of_call({{"text", 4'711}, {"keys", {1, true, nullptr}}}));
  CHECK(numbers.arguments().dump() ==
        R"x({"keys":["(1 bytes)","(4 bytes)","(4 bytes)"],"text":"(4 bytes)"})x");
  AuditScene wrong(json::parse(R"({"name":"echo","arguments":"password"})"));
  CHECK(wrong.arguments() == "(8 bytes)");
}

TEST_CASE("audit: what was meant by a wrong name is told by its length alone") {
  AuditScene refused(arguments_of_call({{"input", "hunter2"}, {"window_id", "@1"}}));
  refused.call.error = "invalid_argument";
  CHECK(refused.arguments().dump() == R"x({"input":"(7 bytes)","window_id":"(2 bytes)"})x");
  refused.call.tool = "";
  refused.call.error = "-32602";
  CHECK(refused.arguments()["input"] == "(7 bytes)");
  AuditScene unknown(json::parse(R"({"text":"hunter2"})"), "");
  CHECK(unknown.arguments().dump() == R"x({"text":"(7 bytes)"})x");
}

TEST_CASE("audit: a call takes so much and no more") {
  for (const json& large : {json({{"a", std::string(100'000, 'x')},
                                  {"b", std::string(100'000, 'y')},
                                  {"c", std::string(9'000, 'z')}}),
                            json({{"a", json(std::vector<int>(100'000, 7))}, {"z", "last"}}),
                            json({{"a", json(std::vector<std::string>(100'000, ""))}})}) {
    AuditScene scene(arguments_of_call(large));
    const std::string text = scene.arguments().dump();
    CHECK(text.size() > 500);
    CHECK(text.size() < 2 * kMostAuditedBytes);
    CHECK((text.find(" more") != std::string::npos || text.find("…") != std::string::npos));
  }
  json many = json::object();
  for (int i = 0; i < 10'000; ++i) {
    many[std::to_string(i)] = i;
  }
  AuditScene scene(arguments_of_call(many));
  CHECK(scene.arguments().dump().size() < 2 * kMostAuditedBytes);
  CHECK(scene.arguments().contains("…"));
}

TEST_CASE("audit: a text has 1,000 bytes") {
  AuditScene scene(arguments_of_call({{"a", std::string(1'500, 'x')}}));
  const auto shown = scene.arguments()["a"].get<std::string>();
  CHECK(shown.starts_with(std::string(900, 'x')));
  CHECK(shown.size() < 1'010);  // with the mark of what is left out
}

TEST_CASE("audit: of a secret that stands where a text is cut, no beginning is shown") {
  for (std::size_t before = 900; before <= 1'000; ++before) {
    AuditScene scene(arguments_of_call({{"a", std::string(before, '.') + kSomeToken}}));
    const auto shown = scene.arguments()["a"].get<std::string>();
    REQUIRE(shown.starts_with(std::string(900, '.')));
    CAPTURE(before);
    CHECK(shown.find("ghp") == std::string::npos);
  }
}

TEST_CASE("audit: a line says who asked for what, when, and how it ended") {
  AuditScene scene(arguments_of_call({{"a", 1}}));
  CHECK(audit_line(1'700'000'000'123, "work", scene.call, nullptr) ==
        R"({"at":"2023-11-14T22:13:20.123Z","instance":"work","by":"http exec","client":"claude-code 2.1",)"
        R"("method":"tools/call","tool":"echo","arguments":{"a":1},"outcome":"ok","ms":12})"
        "\n");
  scene.call.outcome = CallOutcome::tool_error;
  scene.call.error = "not_found";
  scene.call.tool = "";
  const ordered_json line = ordered_json::parse(audit_line(0, "", scene.call, nullptr));
  CHECK(line["outcome"] == "tool_error");
  CHECK(line["error"] == "not_found");
  CHECK_FALSE(line.contains("tool"));
}

TEST_CASE("audit log: for this user alone, and begun anew when it is full") {
  const test::TempDir directory;
  const auto path = directory / "audit";
  AuditLog log(path, 10);
  log.append("12345\n");
  struct stat status{};
  REQUIRE(::stat(path.c_str(), &status) == 0);
  CHECK((status.st_mode & 0777U) == 0600);
  log.append("789\n");
  CHECK(test::content_of(path) == "12345\n789\n");
  log.append("x\n");
  CHECK(test::content_of(path) == "x\n");
  CHECK(test::content_of(directory / "audit.1") == "12345\n789\n");
  log.append("a line that is longer than the whole file\n");
  CHECK(test::content_of(path) == "a line that is longer than the whole file\n");
  CHECK(test::content_of(directory / "audit.1") == "x\n");
  std::filesystem::remove(path);
  log.append("y\n");
  CHECK(test::content_of(path) == "y\n");
  CHECK(log.lost() == 0);
}

TEST_CASE("audit log: what is in its place and no file holds nobody up") {
  const test::TempDir directory;
  const auto path = directory / "audit";
  REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
  AuditLog log(path, 1'000);
  const std::ostringstream told;
  std::streambuf* const before = std::cerr.rdbuf(told.rdbuf());
  log.append("nobody reads\n");
  CHECK(log.lost() == 1);
  const UniqueFd reader(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  log.append("somebody reads\n");
  std::cerr.rdbuf(before);
  CHECK(log.lost() == 2);
  CHECK(told.str() == "terminally-mcp: " + path.string() +
                          " cannot be written: it is no regular file; calls go on without it\n");
}

TEST_CASE("audit log: behind half a line of an earlier server a line begins") {
  const test::TempDir directory;
  std::ofstream(directory / "audit") << "half";
  AuditLog log(directory / "audit", 1'000);
  log.append("x\n");
  log.append("y\n");
  CHECK(test::content_of(directory / "audit") == "half\nx\ny\n");
}

TEST_CASE("audit log: a line that cannot be written is lost and counted, and spoils no other") {
  const test::TempDir directory;
  const auto path = directory / "audit";
  std::filesystem::create_directory(path);
  AuditLog log(path, 1'000);
  log.append("lost\n");
  CHECK(log.lost() == 1);
  std::filesystem::remove(path);
  std::filesystem::create_symlink(directory / "elsewhere", path);
  log.append("lost\n");
  CHECK(log.lost() == 2);
  CHECK_FALSE(std::filesystem::exists(directory / "elsewhere"));
  std::filesystem::remove(path);
  log.append("first\n");

  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{9, before.rlim_max};  // as a disk with room for 3 more bytes
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &small) == 0);
  log.append("second\n");
  log.append("third\n");
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &before) == 0);
  std::signal(SIGXFSZ, handler);
  CHECK(log.lost() == 4);
  log.append("fourth\n");
  CHECK(log.lost() == 4);
  CHECK(test::content_of(path) == "first\nsec\nfourth\n");
}
