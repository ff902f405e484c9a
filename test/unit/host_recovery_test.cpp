#include <doctest/doctest.h>

#include <boost/asio.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/files.hpp"
#include "event_loop.hpp"
#include "hosts/host.hpp"
#include "temp_files.hpp"

using namespace terminally;
using namespace terminally::test;

namespace {

/// A far side: ends when a command is to be begun, and answers the questions that come behind that as it is
/// told: how it finds a command by its key, and how it tells a command's state. What follows ":" is answered
/// from the third question on.
constexpr const char* kFar = R"(
import json, os, sys
place, finds, tells, nonce = sys.argv[1], sys.argv[2].split(":"), sys.argv[3].split(":"), sys.argv[7]
IO = "cannot read the directory /s/1: Input/output error"

def say(**what):
    print(json.dumps({"jsonrpc": "2.0", "id": ask["id"], **what}), flush=True)

def which(kinds, name):
    with open(f"{place}/{name}", "a+") as file:
        file.write("x")
        times = file.tell()
    return kinds[-1] if times > 2 else kinds[0]

def tool_error(text, code):
    say(result={"isError": True, "content": [{"type": "text", "text": text}], "_meta": {"terminally-mcp/error": code}})

def find():
    kind = which(finds, "finds")
    if kind == "unknown":
        say(error={"code": -32603, "message": IO})
    elif kind == "malformed":
        say(result={"window_id": 7})
    elif kind == "cut":
        os._exit(0)
    elif kind == "found":
        say(result={"window_id": "@7", "command_id": "0123abcd"})
    else:
        say(result={"_meta": {"terminally-mcp/place": "elsewhere" if kind == "elsewhere" else "here"}} if kind != "nowhere" else {})

def tell():
    kind = which(tells, "tells")
    if kind == "frozen":
        tool_error("tmux did not answer within 5000 ms; nothing was done. Try again later", "tmux_timeout")
    elif kind == "absent":
        tool_error("command_id: there is no command there", "not_found")
    elif kind == "refused":
        say(error={"code": -32603, "message": IO})
    elif kind == "malformed":
        say(result={"structuredContent": 7})
    elif kind == "cut":
        os._exit(0)
    elif kind != "silent":
        reason = {"reason": "no_shell_answered"} if kind == "no shell" else {}
        asked = json.dumps(ask["params"]["arguments"], sort_keys=True) if kind == "echo" else "ran\n"
        say(result={"structuredContent": {"output": asked, "exit_code": 0, "state": "completed", "start_byte": 9, **reason}})

print("terminally-mcp-gateway " + "".join("%x" % (15 - int(digit, 16)) for digit in nonce) + " 1", flush=True)
for line in sys.stdin:
    ask = json.loads(line)
    method = ask.get("method")
    if method == "initialize":
        said = {} if finds == ["nowhere"] else {"_meta": {"terminally-mcp/place": "here"}}
        say(result={"serverInfo": {"version": "1"}, **said})
    elif method == "ping":
        say(result={})
    elif method == "terminally-mcp/find_command":
        find()
    elif method == "tools/call" and ask["params"]["name"] == "get_command_state":
        tell()
    elif method == "tools/call":
        os._exit(0)
)";

constexpr const char* kInTime = R"({"command": "x", "timeout_ms": 30000})";

/// One call of a host whose link is cut under it.
class CutCall {
 public:
  CutCall(boost::asio::io_context& io, const std::string& finds, const std::string& tells,
          Begins begins = Begins::command, const std::string& arguments = R"({"command": "x"})")
      : host_(host(io, finds, tells)), call_(io, host_->call(call(begins, arguments))) {}

  nlohmann::ordered_json result() { return call_.result(); }
  /// A later question for the state of the command that is known by its key alone.
  nlohmann::ordered_json state_by_key(boost::asio::io_context& io) {
    FarCall ask = call(Begins::nothing, R"({"window_id": "main", "command_id": "call-0a"})");
    ask.tool = "get_command_state";
    return run(io, host_->call(std::move(ask)));
  }
  std::string error() {
    try {
      return "no error: " + call_.result().dump();
    } catch (const Error& error) {
      return error.what();
    }
  }

 private:
  std::shared_ptr<Host> host(boost::asio::io_context& io, const std::string& finds,
                             const std::string& tells) const {
    const std::string file = (place_ / "far.py").string();
    write_file(file, kFar);
    HostEntry entry;
    entry.name = "far";
    entry.command = {"python3", "-S", file, place_.path().string(), finds, tells};
    FarStart start;
    start.gateway = start.instance = "0";
    return std::make_shared<Host>(io.get_executor(), entry, start, std::filesystem::path());
  }
  static FarCall call(Begins begins, const std::string& given) {
    nlohmann::json arguments = nlohmann::json::parse(given);
    arguments.emplace("timeout_ms", 1U);
    FarCall call;
    call.host = "far";
    call.tool = begins == Begins::command ? "execute_command" : "start_process";
    call.traits.begins = begins;
    call.traits.has_timeout = true;
    call.arguments = std::make_shared<const nlohmann::json>(std::move(arguments));
    return call;
  }

  TempDir place_;
  std::shared_ptr<Host> host_;
  UnderWay<nlohmann::ordered_json> call_;
};

std::string notes_of(const nlohmann::ordered_json& answer) {
  return answer.value("notes", nlohmann::ordered_json()).dump();
}

}  // namespace

TEST_CASE("recovery C1: once a command is found by its key, no failure to look is the answer of its call") {
  boost::asio::io_context io;
  std::vector<std::unique_ptr<CutCall>> calls;
  for (const char* tells : {"frozen", "absent", "refused", "malformed", "silent", "cut"}) {
    calls.push_back(std::make_unique<CutCall>(io, "found", tells));
  }
  CutCall process(io, "found", "frozen", Begins::process);
  for (const auto& call : calls) {
    const nlohmann::ordered_json answer = call->result();
    CAPTURE(answer.dump());
    CHECK(answer.value("state", "") == "running");
    CHECK(answer.value("reason", "") == "link_lost");
    CHECK(answer.value("window_id", "") == "@7");
    CHECK(answer.value("command_id", "") == "0123abcd");
    CHECK(answer["exit_code"].is_null());
    CHECK(notes_of(answer).find("is on record there") != std::string::npos);
    CHECK(notes_of(answer).find("nothing was done") == std::string::npos);
  }
  const nlohmann::ordered_json started = process.result();
  CHECK(started.value("command_id", "") == "0123abcd");
  CHECK(started["started"].is_null());
}

TEST_CASE("recovery C1: what cannot be looked at now is looked at again") {
  boost::asio::io_context io;
  std::vector<std::unique_ptr<CutCall>> calls;
  const auto cut = [&](const char* finds, const char* tells) {
    calls.push_back(std::make_unique<CutCall>(io, finds, tells, Begins::command, kInTime));
  };
  for (const char* tells : {"frozen:over", "absent:over", "refused:over", "cut:over"}) {
    cut("found", tells);
  }
  for (const char* finds : {"unknown:found", "malformed:found", "cut:found"}) {
    cut(finds, "over");
  }
  for (const auto& call : calls) {
    const nlohmann::ordered_json answer = call->result();
    CAPTURE(answer.dump());
    CHECK(answer.value("output", "") == "ran\n");
    CHECK(answer.value("exit_code", 1) == 0);
  }
}

TEST_CASE("recovery C2: only a host that looked says that a command never ran") {
  boost::asio::io_context io;
  CutCall never(io, "none", "over", Begins::command, kInTime);
  std::vector<std::unique_ptr<CutCall>> calls;
  for (const char* finds : {"unknown", "malformed", "cut"}) {
    calls.push_back(std::make_unique<CutCall>(io, finds, "over"));
  }
  CHECK(never.error().find("so nothing ran. Call again") != std::string::npos);
  for (const auto& call : calls) {
    const nlohmann::ordered_json answer = call->result();
    CAPTURE(answer.dump());
    CHECK(answer.value("state", "") == "running");
    CHECK(answer.value("reason", "") == "link_lost");
    CHECK(answer.value("command_id", "").starts_with("call-"));
    CHECK(notes_of(answer).find("is not known") != std::string::npos);
  }
}

TEST_CASE("recovery: no record in other records than those of the call does not mean that nothing ran") {
  boost::asio::io_context io;
  CutCall elsewhere(io, "elsewhere", "over");
  CutCall nowhere(io, "nowhere", "over");
  for (CutCall* const call : {&elsewhere, &nowhere}) {
    const std::string error = call->error();
    CAPTURE(error);
    CHECK(error.find("it is not known whether the command ran") != std::string::npos);
    CHECK(error.find("Call again") == std::string::npos);
  }
}

TEST_CASE("V1 recovery: what is found again is what would have come, and one note says that it was found") {
  boost::asio::io_context io;
  CutCall plain(io, "found", "over");
  CutCall named(io, "found", "echo", Begins::command,
                R"({"command": "x", "window_id": "main", "max_output_bytes": 7, "render": true})");
  nlohmann::ordered_json answer = plain.result();
  REQUIRE(answer["notes"].size() == 1);
  CHECK(notes_of(answer).find("the command was sent once") != std::string::npos);
  answer.erase("notes");
  CHECK(answer == nlohmann::ordered_json::parse(
                      R"({"output": "ran\n", "exit_code": 0, "state": "completed", "start_byte": 9,
                          "window_id": "@7"})"));
  const nlohmann::ordered_json of_named = named.result();
  CHECK_FALSE(of_named.contains("window_id"));  // who named it knows it
  CHECK(of_named["output"] ==
        R"({"command_id": "0123abcd", "max_output_bytes": 7, "render": true, "window_id": "@7"})");
}

TEST_CASE("V1 recovery: a process that is found again is told as one that was not lost") {
  boost::asio::io_context io;
  CutCall started(io, "found", "over", Begins::process);
  CutCall refused(io, "found", "no shell", Begins::process);
  CutCall waited(io, "found", "over", Begins::process, R"({"command": "x", "until": "exit"})");
  nlohmann::ordered_json answer = started.result();
  CHECK(answer["notes"].size() == 1);
  answer.erase("notes");
  CHECK(answer == nlohmann::ordered_json::parse(
                      R"({"window_id": "@7", "started": true, "command_id": "0123abcd", "start_byte": 9})"));
  CHECK(refused.result()["started"] == false);
  CHECK(notes_of(waited.result()).find("until was not waited for") != std::string::npos);
}

TEST_CASE("V1 recovery: who asks by a key alone is told the tab") {
  boost::asio::io_context io;
  CutCall lost(io, "found", "over");
  CHECK(lost.result()["window_id"] == "@7");
  CHECK(lost.state_by_key(io)["window_id"] == "@7");
}
