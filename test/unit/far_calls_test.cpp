#include <doctest/doctest.h>

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <semaphore>
#include <string>
#include <vector>

#include "base/digests.hpp"
#include "base/error.hpp"
#include "event_loop.hpp"
#include "secrets/text_guard.hpp"
#include "toolkit/far_calls.hpp"
#include "toolkit/far_names.hpp"
#include "toolkit/redaction.hpp"
#include "toolkit/router.hpp"
#include "tools/all_tools.hpp"

using namespace terminally;
using nlohmann::json;
using nlohmann::ordered_json;

namespace {

/// Answers as a far side would, and keeps what it was asked.
class SomeHosts final : public FarHosts {
 public:
  [[nodiscard]] std::vector<std::string> names() const override { return {"build1", "web"}; }

  boost::asio::awaitable<ordered_json> call(FarCall call) override {
    asked = std::move(call);
    if (step && asked.caller.progress) {
      asked.caller.progress(*step);
    }
    if (!error.empty()) {
      throw Error(ErrorCode::io, error);
    }
    co_return answer;
  }

  boost::asio::awaitable<void> end_command(std::string /*host*/, std::string key) override {
    ended = std::move(key);
    co_return;
  }

  boost::asio::awaitable<FarTabs> tabs(Clock::time_point /*by*/) override { co_return listed; }

  boost::asio::awaitable<std::vector<FarHostInfo>> look(Clock::time_point /*by*/) override {
    FarHostInfo up;
    up.name = "build1";
    up.state = "up";
    up.rtt_ms = 3;
    std::vector<FarHostInfo> infos;
    infos.push_back(up);
    co_return infos;
  }

  FarCall asked;
  std::string ended;
  ordered_json answer = ordered_json::object();
  std::string error;
  std::optional<Progress> step;  ///< that is told before the answer
  FarTabs listed;
};

std::shared_ptr<const Secrets> known(const std::vector<std::string>& values) {
  Secrets secrets(Secrets::Options{.rules = true, .values = true});
  for (const std::string& value : values) {
    static_cast<void>(secrets.add("TOKEN", value));
  }
  return std::make_shared<const Secrets>(std::move(secrets));
}

struct FarScene {
  std::shared_ptr<SomeHosts> hosts = std::make_shared<SomeHosts>();
  boost::asio::io_context io{1};
  std::unique_ptr<Router> router;
  PeerSettingsPtr peer;

  explicit FarScene(const std::vector<std::string>& secrets = {}) {
    Services services;
    services.hosts = hosts;
    router = std::make_unique<Router>(all_tools(), std::move(services));
    PeerSettings settings;
    if (!secrets.empty()) {
      settings.redaction = std::make_shared<Redaction>();
      settings.redaction->secrets = known(secrets);
    }
    peer = std::make_shared<const PeerSettings>(std::move(settings));
  }

  void view(View view) {
    PeerSettings settings = *peer;
    settings.view = view;
    peer = std::make_shared<const PeerSettings>(std::move(settings));
  }

  ordered_json call(const char* tool, const json& arguments) {
    auto shared = std::make_shared<const json>(arguments);
    return terminally::test::run(io, router->call(*router->find(tool), std::move(shared), Caller{peer}))
        .object;
  }

  terminally::test::Failure failure(const char* tool, const json& arguments) {
    auto shared = std::make_shared<const json>(arguments);
    return terminally::test::failure_of(io,
                                        router->call(*router->find(tool), std::move(shared), Caller{peer}));
  }
};

}  // namespace

TEST_CASE("far calls: much that comes back is masked beside the event loop, and as well") {
  FarScene scene({"hunter2secret"});
  std::binary_semaphore may_go_on(0);  // until then the thread beside the event loop has something to do
  std::function<void()> hold = [&may_go_on] { may_go_on.acquire(); };
  boost::asio::co_spawn(scene.io, scene.hosts->worker().run(0, std::move(hold)), boost::asio::detached);
  scene.hosts->answer["output"] = std::string(100'000, 'x') + " hunter2secret";
  const auto arguments = std::make_shared<const json>(json{{"window_id", "build1:@1"}});
  terminally::test::UnderWay<Answer> much(
      scene.io, scene.router->call(*scene.router->find("read_screen"), arguments, Caller{scene.peer}));
  scene.io.poll();
  scene.hosts->answer["output"] = "little";
  CHECK(scene.call("read_screen", *arguments)["output"] == "little");
  CHECK_FALSE(much.is_done());
  may_go_on.release();
  const ordered_json result = much.result().object;
  CHECK(result["output"].get<std::string>().find("hunter2") == std::string::npos);
  REQUIRE(result["notes"].size() == 1);
  CHECK(result["notes"][0].get<std::string>().find("1") != std::string::npos);
}

TEST_CASE("far names: the host before an id, a name, and nothing else") {
  CHECK(split_far_name("build1:@3")->host == "build1");
  CHECK(split_far_name("build1:@3")->rest == "@3");
  CHECK(split_far_name("build1:a:b")->rest == "a:b");
  CHECK(!split_far_name("@3"));
  CHECK(!split_far_name(":@3"));
  CHECK(!split_far_name("-x:@3"));
  CHECK(!split_far_name("a b:@3"));
  for (int byte = 1; byte < 256; ++byte) {
    const std::string name = "a" + std::string(1, static_cast<char>(byte));
    const bool plain = (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') ||
                       (byte >= 'A' && byte <= 'Z') || byte == '.' || byte == '_' || byte == '-';
    CHECK_MESSAGE(is_host_name(name) == plain, byte);
  }
  CHECK(is_host_name(std::string(64, 'a')));
  CHECK(!is_host_name(std::string(65, 'a')));
}

TEST_CASE("far names: in a text the ids of tabs get the host, and what only looks like one stays") {
  CHECK(with_host("tab @3 is busy; see @12.", "b") == "tab b:@3 is busy; see b:@12.");
  CHECK(with_host("(@3), \"@4\"", "b") == "(b:@3), \"b:@4\"");
  CHECK(with_host("terminally://tab/@3/log", "b") == "terminally://tab/b:@3/log");
  CHECK(with_host("window_id: @3 of \"a\"", "b") == "window_id: b:@3 of \"a\"");
  for (const char* same :
       {"path: \"a @3 b\" is not there", "path: \"create_tab\": no", "/state/1/pane-@3.log", "me@3", "a.@3",
        "@", "@x", "@3x", "@3.log", "@3@4", "b:@3", ""}) {
    CHECK(with_host(same, "b") == same);
  }
}

TEST_CASE("far names: advice can be followed as it is printed") {
  for (const auto& [there, here] : std::vector<std::pair<const char*, const char*>>{
           {"to look: `terminally-mcp attach @3`, or wait", "to look: `terminally-mcp attach b:@3`, or wait"},
           {"a tab: terminally-mcp exec build -- COMMAND", "a tab: terminally-mcp exec b:build -- COMMAND"},
           {"terminally-mcp exec 'a b' -- ls", "terminally-mcp exec b:'a b' -- ls"},
           {"`terminally-mcp exec -- …`, without a tab", "`terminally-mcp exec b: -- …`, without a tab"},
           {"terminally-mcp ls lists them; `terminally-mcp tail` prints",
            "terminally-mcp ls lists them; `terminally-mcp tail` prints"},
           {"terminally-mcp tail -n 5", "terminally-mcp tail -n 5"},
           {"the same call without window_id, or create_tab",
            "the same call with \"host\": \"b\" and without window_id, or create_tab with \"host\": \"b\""},
           {"send_text {\"window_id\": \"@3\"}", "send_text {\"window_id\": \"b:@3\"}"},
       }) {
    CHECK(with_host(there, "b") == here);
  }
}

TEST_CASE("far calls: a host argument and a prefix go to that host, without both") {
  FarScene scene;
  scene.hosts->answer = {{"output", "hi @3\n"}, {"window_id", "@1"}, {"notes", {"see @1"}}, {"cwd", "/@1"}};
  const ordered_json result = scene.call("execute_command", {{"command", "x"}, {"host", "build1"}});
  CHECK(scene.hosts->asked.host == "build1");
  CHECK(*scene.hosts->asked.arguments == json{{"command", "x"}});
  CHECK(result["output"] == "hi @3\n");
  CHECK(result["window_id"] == "build1:@1");
  CHECK(result["notes"][0] == "see build1:@1");
  CHECK(result["cwd"] == "/@1");
  CHECK(result["host"] == "build1");
  scene.call("read_screen", {{"window_id", "web:main"}});
  CHECK(scene.hosts->asked.host == "web");
  CHECK(scene.hosts->asked.read_only);
  CHECK(*scene.hosts->asked.arguments == json{{"window_id", "main"}});
  scene.call("execute_command", {{"command", "x"}, {"host", "web"}, {"window_id", "web:@3"}});
  CHECK(!scene.hosts->asked.read_only);
}

TEST_CASE("far calls: what is wrong about a host is said before anything is sent") {
  FarScene scene;
  CHECK(
      scene.failure("execute_command", {{"command", "x"}, {"host", "nope"}}).says("configured: build1, web"));
  CHECK(scene.failure("execute_command", {{"command", "x"}, {"host", 7}}).says("is unknown; configured: "));
  CHECK(scene.failure("read_screen", {{"window_id", "nope:@3"}}).says("is unknown; configured: "));
  CHECK(scene.failure("execute_command", {{"command", "x"}, {"host", "web"}, {"window_id", "build1:@3"}})
            .says("leave host out"));
  CHECK(scene.failure("read_screen", {{"window_id", "web:@3"}, {"host", "web"}}).code == std::nullopt);
  CHECK(scene.hosts->asked.arguments->contains("host"));  // refused there, as an unknown argument is here
  CHECK(scene.failure("list_tabs", {{"host", "web"}}).says("unknown argument"));
}

TEST_CASE("far calls: an error is the host's, with its ids as they are called here") {
  FarScene scene;
  scene.hosts->error = "tab @3 is closed";
  const auto failure = scene.failure("read_screen", {{"window_id", "web:@3"}});
  CHECK(failure.text == "web: tab web:@3 is closed");
}

TEST_CASE(
    "far calls S1: what only this side knows to be secret is masked in what a host sends, and never sent") {
  FarScene scene({"hunter2hunter2"});
  scene.hosts->answer = {{"output", "a hunter2hunter2 b\x1b[0m"}, {"deep", {{"list", {"hunter2hunter2"}}}}};
  const ordered_json result = scene.call("execute_command", {{"command", "x"}, {"host", "build1"}});
  CHECK(result.dump().find("hunter2") == std::string::npos);
  CHECK(result["output"].get<std::string>().ends_with(" b\x1b[0m"));
  CHECK(scene.hosts->asked.arguments->dump().find("hunter2") == std::string::npos);
  scene.hosts->error = "hunter2hunter2";
  CHECK(!scene.failure("read_screen", {{"window_id", "web:@3"}}).says("hunter2"));
}

TEST_CASE("far calls S1: so it is in lists of tabs, and in what a program there asks for") {
  FarScene scene({"hunter2hunter2"});
  scene.hosts->listed.rows = {{{"window_id", "web:@1"}, {"name", "hunter2hunter2"}}};
  scene.hosts->listed.notes = {"build1: hunter2hunter2"};
  ordered_json listed = ordered_json::object();
  const auto guard = std::make_shared<TextGuard>(known({"hunter2hunter2"}));
  terminally::test::run(scene.io, add_far_tabs(*scene.hosts, listed, guard));
  CHECK(listed["tabs"][0]["window_id"] == "web:@1");
  CHECK(listed["notes"].size() == 1);
  CHECK(listed.dump().find("hunter2") == std::string::npos);
  scene.hosts->step.emplace();
  scene.hosts->step->message = "one\n";
  scene.hosts->step->awaiting_input = AwaitingInput{};
  scene.hosts->step->awaiting_input->prompt = "hunter2hunter2? ";
  std::vector<std::string> prompts;
  Caller caller{scene.peer};
  caller.progress = [&prompts](const Progress& step) {
    prompts.push_back(step.awaiting_input ? step.awaiting_input->prompt : "");
    return Taken::yes;
  };
  const auto arguments = std::make_shared<const json>(json{{"command", "x"}, {"host", "web"}});
  terminally::test::run(scene.io,
                        scene.router->call(*scene.router->find("execute_command"), arguments, caller));
  REQUIRE(prompts.size() == 1);
  CHECK(prompts[0].ends_with("? "));
  CHECK(prompts[0].find("hunter2") == std::string::npos);
}

TEST_CASE("far calls S1: a name of a field that is none of ours is text that nobody has looked at") {
  FarScene scene({"hunter2hunter2"});
  scene.hosts->answer["output"] = "x";
  scene.hosts->answer["hunter2hunter2 \x1b"] = 1;
  scene.hosts->answer["deep"][0]["HUNTER"] = 1;
  scene.hosts->answer["deep"][0]["of_ours2"] = 1;
  scene.hosts->answer[std::string(65, 'a')] = 1;
  const ordered_json result = scene.call("execute_command", {{"command", "x"}, {"host", "web"}});
  CHECK(result.dump() == R"({"output":"x","deep":[{"of_ours2":1}],"host":"web"})");
}

TEST_CASE("far calls: what is byte-exact stays so") {
  FarScene scene({"hunter2hunter2"});
  scene.hosts->answer = {{"chunk", "aHVudGVyMmh1bnRlcjI="}};
  const ordered_json result =
      scene.call("stream_logs_from_tab", {{"window_id", "web:@3"}, {"encoding", "base64"}});
  CHECK(result["chunk"] == "aHVudGVyMmh1bnRlcjI=");
  scene.hosts->answer = ordered_json::object();
  scene.hosts->answer["content"] = "key = hunter2hunter2\n";
  scene.hosts->answer["path"] = "/etc/hunter2hunter2";
  const ordered_json file = scene.call("read_file", {{"host", "web"}, {"path", "x"}});
  CHECK(file["content"] == "key = hunter2hunter2\n");  // it may be written back
  CHECK(file["path"].get<std::string>().find("hunter2") == std::string::npos);
}

TEST_CASE("far calls: hosts are shown where there are some, and only there") {
  FarScene scene;
  const auto entry = [](const ordered_json& tools, const std::string& name) {
    for (const ordered_json& tool : tools) {
      if (tool["name"] == name) {
        return tool;
      }
    }
    return ordered_json();
  };
  const ordered_json with = scene.router->list();
  CHECK(!entry(with, "list_hosts").is_null());
  CHECK(entry(with, "execute_command")["inputSchema"]["properties"].contains("host"));
  CHECK(!entry(with, "read_screen")["inputSchema"]["properties"].contains("host"));
  const Router plain(all_tools(), Services());
  CHECK(entry(plain.list(), "list_hosts").is_null());
  CHECK(plain.find("list_hosts") == nullptr);
  CHECK(plain.list().dump().find("\"host\"") == std::string::npos);
  CHECK(scene.call("list_hosts", json::object())["hosts"][0]["rtt_ms"] == 3);
}

TEST_CASE("tools/list: with hosts, too, it stays under 3,000 tokens") {
  std::size_t characters = 0;
  for (const ordered_json& tool : FarScene().router->list()) {
    characters += tool["name"].get<std::string>().size() + tool["description"].get<std::string>().size() +
                  tool["inputSchema"].dump().size();
  }
  MESSAGE("all tools together, with hosts: " << characters << " characters");
  CHECK(characters < 12'000);
}

TEST_CASE("V1 far calls: what a stream skipped is said at the end, as on this side") {
  FarScene scene;
  scene.hosts->answer["state"] = "completed";
  scene.hosts->step.emplace();
  scene.hosts->step->message = std::string(3'000'000, 'x') + "\n";
  scene.hosts->step->progress = 3e6;
  std::size_t told = 0;
  Caller caller{scene.peer};
  caller.progress = [&told](const Progress& step) {
    told += step.message.size();
    return Taken::yes;
  };
  const auto arguments = std::make_shared<const json>(json{{"command", "x"}, {"host", "web"}});
  const ordered_json result =
      terminally::test::run(scene.io,
                            scene.router->call(*scene.router->find("execute_command"), arguments, caller))
          .object;
  CHECK(told < 3'000'000);
  REQUIRE(result["notes"].size() == 1);
  CHECK(result["notes"][0].get<std::string>().ends_with(" bytes of text skipped in the stream"));
}

TEST_CASE("V7 far calls: what a tab there prints between two questions is told") {
  auto hosts = std::make_shared<SomeHosts>();
  const auto printed = [&hosts](std::uint64_t bytes) {
    hosts->listed.rows = ordered_json::array({{{"window_id", "web:@3"}, {"log_bytes", bytes}}});
  };
  printed(5);
  hosts->answer["chunk"] = "";  // nothing within the first question
  boost::asio::io_context io;
  terminally::test::UnderWay<std::optional<std::uint64_t>> next(
      io, next_output_there(hosts, "web", WindowId{3}, std::nullopt));
  REQUIRE(terminally::test::comes_true(io, [&hosts] { return hosts->asked.arguments != nullptr; }));
  printed(9);  // behind it
  hosts->asked.arguments = nullptr;
  hosts->answer["chunk"] = "eA==";
  CHECK(next.result() == 9);
  CHECK(hosts->asked.arguments->at("from_byte") == 5);
}

TEST_CASE("far calls: in the views that are read, what is not seen is named, whatever the host did") {
  const std::string sent =
      std::string("a\xe2\x80") + "\xae" + "b\x1b[31m";  // U+202E, which turns what follows around
  FarScene scene({"hunter2hunter2"});
  scene.hosts->answer["output"] = sent;
  const json plainly = {{"command", "x"}, {"host", "web"}, {"strip_ansi", true}};
  const json drawn = {{"command", "x"}, {"host", "web"}, {"render", true}};
  for (const json& arguments : {plainly, drawn}) {
    CHECK(scene.call("execute_command", arguments)["output"] == "a⟨U+202E⟩b⟨U+001B⟩[31m");
  }
  for (const View view : {View::raw, View::plain, View::rendered}) {
    scene.view(view);
    const ordered_json shown = scene.call("execute_command", {{"command", "x"}, {"host", "web"}});
    CHECK((shown["output"] == sent) == (view == View::raw));
    CHECK(scene.call("execute_command",
                     {{"command", "x"}, {"host", "web"}, {"strip_ansi", false}})["output"] == sent);
    scene.hosts->answer["content"] = sent;  // it may be written back
    CHECK(scene.call("read_file", {{"host", "web"}, {"path", "x"}})["content"] == sent);
  }
}

TEST_CASE("far calls: a field of another type than the tool's is no answer") {
  const std::vector<std::pair<const char*, ordered_json>> wrong = {
      {"exit_code", "zero"},           {"output", 7},         {"timed_out", 0},
      {"survivors", {{{"pid", "x"}}}}, {"notes", {"one", 7}}, {"start_byte", -1}};
  for (const auto& [name, value] : wrong) {
    FarScene scene;
    scene.hosts->answer = {{"exit_code", nullptr}, {"start_byte", 0}, {"of_later", {{"exit_code", "x"}}}};
    CHECK(scene.call("execute_command", {{"command", "x"}, {"host", "web"}}).contains("of_later"));
    scene.hosts->answer[name] = value;
    const auto failure = scene.failure("execute_command", {{"command", "x"}, {"host", "web"}});
    CHECK_MESSAGE(failure.says("web: the host answered with a malformed result: field \""), name);
  }
}

TEST_CASE("far calls: about a file nothing is taken for the id of a tab") {
  FarScene scene;
  scene.hosts->error = "there are no parts of \"x @3 create_tab y\"";
  CHECK(scene.failure("write_file", {{"host", "web"}, {"path", "x"}, {"content", ""}}).text ==
        "web: " + scene.hosts->error);
  scene.hosts->error.clear();
  scene.hosts->answer["notes"] = {"\"x @3 y\" is a link"};
  const ordered_json listed = scene.call("list_files", {{"host", "web"}});
  CHECK(listed["notes"][0] == "\"x @3 y\" is a link");
  CHECK(listed["host"] == "web");
}

TEST_CASE("far calls: a value that only this side knows is counted in a file that is read there") {
  FarScene scene({"hunter2hunter2"});
  scene.hosts->answer["content"] = "key = hunter2hunter2\npassword=hunter3hunter3hunter3\n";
  ordered_json read = scene.call("read_file", {{"host", "web"}, {"path", "x"}});
  REQUIRE(read["notes"].size() == 1);
  CHECK(read["notes"][0].get<std::string>().starts_with("the content has 1 secret (TOKEN 1), not masked"));
  scene.hosts->answer["content"] = encode_base64(read["content"].get<std::string>());
  scene.hosts->answer["encoding"] = "base64";
  read = scene.call("read_file", {{"host", "web"}, {"path", "x"}, {"encoding", "base64"}});
  CHECK(read["notes"].size() == 1);
  scene.hosts->answer["content"] = "bm9uZQ==";
  CHECK_FALSE(scene.call("read_file", {{"host", "web"}, {"path", "x"}}).contains("notes"));
}
