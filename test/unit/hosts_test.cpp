// Several hosts beside each other: what one does is seen of that one alone.
#include "hosts/hosts.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <boost/asio.hpp>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/files.hpp"
#include "config_in.hpp"
#include "event_loop.hpp"
#include "hosts/host_files.hpp"
#include "temp_files.hpp"

using namespace terminally;
using namespace terminally::test;
using nlohmann::json;
namespace asio = boost::asio;
using nlohmann::ordered_json;

namespace {

/// A far side that does what its name says. Each start adds a letter to the file "starts".
constexpr const char* kFarOfAKind = R"(
import json, os, sys
place, kind, nonce = sys.argv[1], sys.argv[2], sys.argv[6]
with open(place + "/starts", "a+") as starts:
    starts.write("x")
    first = starts.tell() == 1
if kind == "turns" and first:
    sys.exit("it began badly")

def say(**what):
    print(json.dumps({"jsonrpc": "2.0", "id": ask["id"], **what}), flush=True)

def row(cwd="/", **other):
    texts = {"window_id": "@1", "name": "main", "cwd": cwd, "foreground": "sh", "log_path": "/log"}
    return {**texts, "active": True, "busy": False, "log_bytes": 7, **other}

ODD = [{"log_bytes": "7"}, {"window_id": "main"}, {"command": 7}, {"state": None}, {"exit_code": "1"}, {"started_at": 7}, {"awaiting_input": "?"}]
ENDED = row(command="make", state="completed", exit_code=None)
ROWS = {"much": [row("/" * 100_000)] * 20, "odd": [*(row(**odd) for odd in ODD), ENDED]}
NOTES = [7, "its owner (uid) 7 could not be kept: it is 0 now"]
print("terminally-mcp-gateway " + "".join("%x" % (15 - int(digit, 16)) for digit in nonce) + " 1", flush=True)
for line in sys.stdin:
    ask = json.loads(line)
    name = ask["params"]["name"] if ask.get("method") == "tools/call" else ask.get("method")
    if name == "initialize":
        say(result={"serverInfo": {"version": "1"}})
    elif name == "ping":
        say(result={})
    elif kind == "turns":
        sys.exit("it went away")
    elif name == "list_tabs" and kind != "late":
        say(result={"structuredContent": {"tabs": ROWS.get(kind, [row()])}})
    elif name == "write_file":
        say(result={"structuredContent": {"bytes_written": 3, "notes": NOTES}})
    elif name == "list_files" and kind == "file":
        error = {"terminally-mcp/error": "invalid_argument"}
        say(result={"isError": True, "content": [{"type": "text", "text": "is no directory"}], "_meta": error})
)";

struct HostsScene {
  explicit HostsScene(const std::vector<std::string>& kinds) {
    const std::string file = (dir / "far.py").string();
    write_file(file, kFarOfAKind);
    const Config config = test::config_in(dir.path());
    std::vector<HostEntry> entries;
    for (const std::string& kind : kinds) {
      HostEntry entry;
      entry.name = kind;
      entry.command = {"python3", "-S", file, dir.path().string(), kind};
      entries.push_back(entry);
    }
    hosts = std::make_shared<Hosts>(io.get_executor(), entries, config, "work", Host::Before());
  }

  void connect(const std::vector<std::string>& names) {
    for (const std::string& name : names) {
      run(io, hosts->need(name)->connected(soon()));
    }
  }
  [[nodiscard]] static Clock::time_point soon() { return Clock::now() + std::chrono::seconds(15); }

  TempDir dir;
  boost::asio::io_context io;
  std::shared_ptr<Hosts> hosts;
};

/// Notes its name once it has the link; "a" then begins another, as a client that sends the next call.
asio::awaitable<void> connect_and_note(std::shared_ptr<Host> host, char name, std::string& order) {
  co_await host->connected(HostsScene::soon());
  order += name;
  if (name == 'a') {
    asio::co_spawn(co_await asio::this_coro::executor, connect_and_note(host, 'z', order), asio::detached);
  }
}

std::size_t rows_of(const FarTabs& tabs, const std::string& host) {
  return static_cast<std::size_t>(
      std::ranges::count_if(tabs.rows, [&](const ordered_json& row) { return row["host"] == host; }));
}

std::vector<std::string> notes_on(const FarTabs& tabs, const std::string& host) {
  std::vector<std::string> notes;
  std::ranges::copy_if(tabs.notes, std::back_inserter(notes),
                       [&](const std::string& note) { return note.starts_with(host + ": "); });
  return notes;
}

}  // namespace

TEST_CASE("V6 hosts: one whose list is long or odd takes nothing from the others' tabs") {
  HostsScene scene({"much", "odd", "few", "idle"});
  scene.connect({"much", "odd", "few"});
  const FarTabs tabs = run(scene.io, scene.hosts->tabs(HostsScene::soon()));
  CHECK(rows_of(tabs, "few") == 1);
  CHECK(rows_of(tabs, "odd") == 1);  // those of another shape are left out
  CHECK(rows_of(tabs, "much") == 2);
  REQUIRE(notes_on(tabs, "much").size() == 1);
  CHECK(notes_on(tabs, "much")[0].find("its list is longer than 256 KiB") != std::string::npos);
  CHECK(tabs.notes.size() == 1);  // nobody has needed "idle" yet
}

TEST_CASE("V6 hosts: of one that does not answer in time it is said, and of no other") {
  HostsScene scene({"late", "few"});
  scene.connect({"late", "few"});
  FarTabs tabs;
  // A machine that is busy may be late with the other, too: then once more.
  CHECK(comes_true(scene.io, [&] {
    tabs = run(scene.io, scene.hosts->tabs(Clock::now() + std::chrono::milliseconds(500)));
    return rows_of(tabs, "few") == 1;
  }));
  REQUIRE(tabs.notes.size() == 1);
  CHECK(tabs.notes[0].starts_with("late: its tabs are not listed: "));
  CHECK(tabs.notes[0].find("has not answered in time") != std::string::npos);
}

TEST_CASE("V3 hosts: the rows of one host have the room of all where it is alone") {
  HostsScene scene({"much", "few"});
  scene.connect({"much"});
  const FarTabs tabs = run(scene.io, scene.hosts->tabs(HostsScene::soon()));
  CHECK(rows_of(tabs, "much") == 7);  // of 100 kB, in 768 KiB
  REQUIRE(tabs.notes.size() == 1);
  CHECK(tabs.notes[0].find("its list is longer than 768 KiB") != std::string::npos);
}

TEST_CASE("V6 hosts: calls that need a link at the same time share one attempt") {
  HostsScene scene({"few"});
  constexpr std::size_t kCalls = 5;
  std::vector<std::unique_ptr<UnderWay<std::shared_ptr<FarSession>>>> calls;
  calls.reserve(kCalls);
  while (calls.size() < kCalls) {
    calls.push_back(std::make_unique<UnderWay<std::shared_ptr<FarSession>>>(
        scene.io, scene.hosts->need("few")->connected(HostsScene::soon())));
  }
  const std::shared_ptr<FarSession> first = calls.front()->result();
  for (std::size_t n = 1; n < calls.size(); ++n) {
    CHECK(calls[n]->result() == first);
  }
  CHECK(read_file(scene.dir / "starts").value_or("") == "x");
}

TEST_CASE("C3 hosts: who comes when the link is there goes behind those that waited for it") {
  HostsScene scene({"few"});
  std::string order;
  for (const char name : {'a', 'b', 'c'}) {
    asio::co_spawn(scene.io, connect_and_note(scene.hosts->need("few"), name, order), asio::detached);
  }
  CHECK(comes_true(scene.io, [&order] { return order.size() == 4; }));
  CHECK(order == "abcz");
}

TEST_CASE("C3 hosts: an attempt that fails is the answer of all that waited for it") {
  HostsScene scene({"turns"});
  using Connecting = UnderWay<std::shared_ptr<FarSession>>;
  std::vector<std::unique_ptr<Connecting>> calls;
  while (calls.size() < 3) {
    calls.push_back(
        std::make_unique<Connecting>(scene.io, scene.hosts->need("turns")->connected(HostsScene::soon())));
  }
  for (const auto& call : calls) {
    CHECK_THROWS_WITH_AS(static_cast<void>(call->result()), doctest::Contains("it began badly"), Error);
  }
  CHECK(read_file(scene.dir / "starts").value_or("") == "x");
}

TEST_CASE("V1 hosts: what is told of a host is what went wrong last") {
  HostsScene scene({"turns"});
  const std::shared_ptr<Host> host = scene.hosts->need("turns");
  CHECK(host->info().state == "idle");
  CHECK(failure_of(scene.io, host->connected(HostsScene::soon())).says("it began badly"));
  CHECK(host->info().state == "down");
  CHECK(host->info().error.find("it began badly") != std::string::npos);
  run(scene.io, host->connected(HostsScene::soon()));
  CHECK(host->info().state == "up");
  CHECK(host->info().error.empty());
  CHECK(failure_of(scene.io, host->ask("list_tabs", HostsScene::soon())).says("it went away"));
  CHECK(host->info().state == "down");
  CHECK(host->info().error.find("it went away") != std::string::npos);
}

TEST_CASE("V1 host files: what a write there could not keep is said here, and what is no text is left out") {
  HostsScene scene({"few"});
  HostFiles files(scene.hosts->need("few"));
  WriteFile request;
  request.path = "/x";
  request.content = "new";
  const WrittenFile written = run(scene.io, files.write(request));
  CHECK(written.notes == std::vector<std::string>{"its owner (uid) 7 could not be kept: it is 0 now"});
}

TEST_CASE("V5 host files: whether a path is a directory is not known where the link is lost") {
  HostsScene scene({"turns", "file"});
  CHECK_FALSE(run(scene.io, HostFiles(scene.hosts->need("file")).is_directory("/x")));
  HostFiles cut(scene.hosts->need("turns"));
  CHECK(failure_of(scene.io, cut.is_directory("/x")).code == ErrorCode::io);
}

TEST_CASE("V5 hosts: behind a failure ssh connects anew, and not by the connection that it keeps") {
  const TempDir dir;
  const auto ssh = dir / "ssh";
  write_file(ssh, "#!/bin/sh\necho \"$@\" >>" + (dir / "asked").string() + "\nexit 255\n");
  std::filesystem::permissions(ssh, std::filesystem::perms::owner_all);
  const std::string path = ::getenv("PATH");
  ::setenv("PATH", (dir.path().string() + ":" + path).c_str(), 1);
  HostEntry entry;
  entry.name = entry.ssh = "there";
  boost::asio::io_context io;
  const auto host =
      std::make_shared<Host>(io.get_executor(), entry, FarStart(), dir / "kept" / "x" / "control");
  for (int n = 0; n < 2; ++n) {
    CHECK(failure_of(io, host->connected(HostsScene::soon())).says("ssh could not connect"));
  }
  ::setenv("PATH", path.c_str(), 1);
  const std::string asked = read_file(dir / "asked").value_or("");
  const std::size_t second = asked.find('\n') + 1;
  CHECK(asked.substr(0, second).find("ControlMaster=auto") != std::string::npos);
  CHECK(asked.substr(second).find("ControlMaster=no") != std::string::npos);
}
