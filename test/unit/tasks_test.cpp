// Tasks of calls, in both eras, with tools that need no tmux; those of commands are in test_tasks.py.
#include "mcp/tasks.hpp"

#include <doctest/doctest.h>

#include <array>
#include <chrono>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "connection.hpp"
#include "json/json_rpc.hpp"
#include "mcp/task.hpp"
#include "temp_files.hpp"

using namespace terminally;
using namespace terminally::test;

namespace {

/// A modern request of a client that knows tasks.
std::string knows_tasks(const std::string& rest) {
  return R"({"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",
             "io.modelcontextprotocol/clientCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}})" +
         rest + "}";
}

std::string begin_task(Connection& connection, const std::string& arguments = "{}") {
  const ordered_json task = connection.ask(
      "tools/call", R"({"name":"slow","task":{"ttl":1000},"arguments":)" + arguments + "}")["result"]["task"];
  CHECK(task["status"] == "working");
  CHECK(task["ttl"].is_null());
  return task["taskId"];
}

std::string of(const std::string& id) {
  return R"({"taskId":")" + id + "\"}";
}

}  // namespace

TEST_CASE("the id of a task ends with its key, and of a command's names its tab and itself") {
  const std::string key = "0123456789abcdef0123456789abcdef";
  Task task;
  task.key = key;
  CHECK(task_id(task) == "task-" + key);
  task.command = Task::Command{WindowId{3}, "1a2b3c4d"};
  CHECK(task_id(task) == "task-@3-1a2b3c4d-" + key);
  const TaskPtr parsed = parse_task_id(task_id(task));
  REQUIRE(parsed);
  CHECK(parsed->id == task_id(task));
  CHECK(parsed->key == key);
  CHECK(parsed->command->window == task.command->window);
  CHECK(parsed->command->id == task.command->id);
  const std::vector<std::string> others = {"",
                                           "task",
                                           "task-",
                                           "task-@3",
                                           "task-@3-1a2b3c4d",
                                           "task-@3-1a2b3c4d-",
                                           "task-" + key,
                                           "task-@3-" + key,
                                           "task-@3--" + key,
                                           "task-3-1a-" + key,
                                           "task--1a-" + key,
                                           "tusk-@3-1a-" + key,
                                           "@3-1a-" + key,
                                           "task-@03-1a-" + key,
                                           "task-@3-1a-" + key + "0",
                                           "task-@3-1a-" + key.substr(1),
                                           "task-@3-1a-0123456789ABCDEF0123456789ABCDEF",
                                           "task-@3-1a-" + key + "-"};
  for (const std::string& text : others) {
    CAPTURE(text);
    CHECK_FALSE(parse_task_id(text));
  }
}

TEST_CASE("the id of a host's task names the host, and no command: that is found by the key") {
  const std::string key = "0123456789abcdef0123456789abcdef";
  Task task;
  task.key = key;
  task.host = "build-1.x";
  CHECK(task_id(task) == "task-build-1.x:" + key);
  const TaskPtr parsed = parse_task_id(task_id(task));
  REQUIRE(parsed);
  CHECK(parsed->id == task_id(task));
  CHECK(parsed->host == task.host);
  CHECK(parsed->key == key);
  CHECK(parsed->found_there);
  CHECK_FALSE(parsed->command);
  for (const std::string& text :
       {"task-:" + key, "task-a:b:" + key, "task-a:" + key.substr(1), "task-a:@3-1a-" + key}) {
    CAPTURE(text);
    CHECK_FALSE(parse_task_id(text));
  }
}

TEST_CASE("no task has the key of another: 128 bits, all of them drawn") {
  Connection connection;
  std::set<std::string> seen;
  std::array<std::set<char>, 32> digits;
  for (int n = 0; n < 200; ++n) {
    const std::string id = begin_task(connection);
    REQUIRE(id.size() == std::string("task-").size() + digits.size());
    seen.insert(id);
    for (std::size_t at = 0; at < digits.size(); ++at) {
      digits[at].insert(id[id.size() - digits.size() + at]);
    }
  }
  CHECK(seen.size() == 200);
  for (const auto& at_one_place : digits) {
    CHECK(at_one_place.size() > 8);  // of 16: no digit stands still
  }
}

TEST_CASE("legacy: a task is asked for, watched, and gives its result later") {
  Connection connection;
  const std::string id = begin_task(connection, R"({"text":"done"})");
  CHECK(id.size() == std::string("task-").size() + 32);
  CHECK(connection.ask("tasks/get", of(id))["result"]["status"] == "working");
  connection.line(R"({"jsonrpc":"2.0","id":"r","method":"tasks/result","params":)" + of(id) + "}");
  CHECK(connection.take().empty());
  connection.open_gate();
  const auto sent = connection.take();
  REQUIRE(sent.size() == 2);
  const bool result_first = sent[0].contains("id");
  const ordered_json& result = sent[result_first ? 0 : 1]["result"];
  CHECK(result["structuredContent"]["text"] == "done");
  CHECK(result["_meta"]["io.modelcontextprotocol/related-task"]["taskId"] == id);
  const ordered_json& told = sent[result_first ? 1 : 0];
  CHECK(told["method"] == "notifications/tasks/status");
  CHECK(told["params"]["status"] == "completed");
  CHECK(connection.ask("tasks/get", of(id))["result"]["status"] == "completed");
  CHECK(connection.ask("tasks/list")["result"]["tasks"].size() == 1);
  CHECK(connection.error_of("tasks/cancel", of(id)) == kInvalidParams);
}

TEST_CASE("legacy: a task is cancelled, and waiting for it can be given up") {
  Connection connection;
  const std::string id = begin_task(connection);
  connection.line(R"({"jsonrpc":"2.0","id":"r","method":"tasks/result","params":)" + of(id) + "}");
  connection.cancel("\"r\"");
  CHECK(connection.slow_tool().cancelled == 0);
  connection.line(R"({"jsonrpc":"2.0","id":"c","method":"tasks/cancel","params":)" + of(id) + "}");
  CHECK(connection.slow_tool().cancelled == 1);
  const auto sent = connection.take();  // and the notification
  REQUIRE(sent.size() == 2);
  CHECK(sent[sent[0].contains("id") ? 0 : 1]["result"]["status"] == "cancelled");
  CHECK(connection.ask("tasks/get", of(id))["result"]["status"] == "cancelled");
  CHECK(connection.error_of("tasks/cancel", of(id)) == kInvalidParams);
}

TEST_CASE("legacy: of the tasks that are over the oldest are forgotten, and none that runs") {
  Connection connection;
  const std::string runs = begin_task(connection);
  std::vector<std::string> over;
  while (over.size() < Tasks::kMostKept + 2) {
    over.push_back(begin_task(connection));
    connection.line(R"({"jsonrpc":"2.0","id":"c","method":"tasks/cancel","params":)" + of(over.back()) + "}");
    CHECK(connection.take().size() == 2);                                              // and the notification
    std::this_thread::sleep_for(std::chrono::milliseconds(over.size() == 1 ? 2 : 0));  // they go by their age
  }
  begin_task(connection);  // what is over is put away when another begins
  CHECK(connection.ask("tasks/list")["result"]["tasks"].size() == Tasks::kMostKept + 2);
  CHECK(connection.ask("tasks/get", of(runs))["result"]["status"] == "working");
  CHECK(connection.error_of("tasks/get", of(over.front())) == kInvalidParams);
}

TEST_CASE("legacy: what cannot be a task, and ids that name none") {
  Connection connection;
  CHECK(connection.error_of("tools/call", R"({"name":"echo","task":{}})") == kMethodNotFound);
  for (const char* method : {"tasks/get", "tasks/result", "tasks/cancel"}) {
    for (const char* params :
         {"{}", R"({"taskId":7})", R"({"taskId":"task-@1-12345678"})", R"({"taskId":""})"}) {
      CHECK(connection.error_of(method, params) == kInvalidParams);
    }
  }
  CHECK(connection.error_of("tasks/list", R"({"cursor":"x"})") == kInvalidParams);
}

TEST_CASE("revisions before 2025-11-25 know no tasks: the wish is passed over") {
  Connection connection;
  connection.ask("initialize", versioned("2025-06-18"));
  CHECK(connection.error_of("tasks/list", "{}") == kMethodNotFound);
  CHECK(connection.ask("tools/call", R"({"name":"echo","task":{}})")["result"]["structuredContent"]["text"] ==
        "none");
  CHECK_FALSE(connection.ask("tools/list")["result"]["tools"][2].contains("execution"));
  connection.ask("initialize", versioned("2025-11-25"));
  CHECK(connection.ask("tools/list")["result"]["tools"][2]["execution"]["taskSupport"] == "optional");
  CHECK_FALSE(connection.ask("tools/list", claim())["result"]["tools"][2].contains("execution"));
}

TEST_CASE("modern: tasks are for clients that declare them, request by request") {
  Connection connection;
  for (const char* method : {"tasks/get", "tasks/cancel", "tasks/update"}) {
    const ordered_json error = connection.ask(method, claim(R"(,"taskId":"x")"))["error"];
    CHECK(error["code"] == kMissingClientCapability);
    CHECK(error["data"]["requiredCapabilities"]["extensions"].contains("io.modelcontextprotocol/tasks"));
    CHECK(connection.error_of(method, knows_tasks(R"(,"taskId":"x")")) == kInvalidParams);
  }
  // What needs no task, or is over at once, is answered at once; a stray `task` is passed over.
  const ordered_json called =
      connection.ask("tools/call", knows_tasks(R"(,"name":"echo","task":{})"))["result"];
  CHECK(called["resultType"] == "complete");
  CHECK(called["structuredContent"]["text"] == "none");
}

TEST_CASE("too many tasks at once are refused, and one that ends makes room") {
  Connection connection;
  std::string id;
  for (std::size_t n = 0; n < Tasks::kMostRunning; ++n) {
    id = begin_task(connection);
  }
  const std::string one_more = R"({"name":"slow","task":{}})";
  const ordered_json error = connection.ask("tools/call", one_more)["error"];
  CHECK(error["code"] == kInternalError);
  CHECK(error["message"] == "Too many tasks at once: 1000 are running; wait for one, or tasks/cancel");
  connection.line(R"({"jsonrpc":"2.0","id":"c","method":"tasks/cancel","params":)" + of(id) + "}");
  connection.take();
  CHECK(connection.ask("tools/call", one_more)["result"].contains("task"));
}

TEST_CASE("too many subscriptions and tasks of a kind that does not exist are refused") {
  Connection connection;
  CHECK(connection.error_of("subscriptions/listen", claim(R"(,"notifications":{"taskIds":["x"]})")) ==
        kMissingClientCapability);
  for (const char* rest : {"", R"(,"notifications":[])", R"(,"notifications":{"resourceSubscriptions":"x"})",
                           R"(,"notifications":{"resourceSubscriptions":[7]})"}) {
    CHECK(connection.error_of("subscriptions/listen", claim(rest)) == kInvalidParams);
  }
}

TEST_CASE("listen: acknowledged first, with what is there; ended by the client, or by us with a result") {
  Connection connection;
  connection.line(R"({"jsonrpc":"2.0","id":"L","method":"subscriptions/listen","params":)" +
                  claim(R"(,"notifications":{"resourcesListChanged":true,"toolsListChanged":true,
                            "resourceSubscriptions":["terminally://tab/@9/log","x:y"]})") +
                  "}");
  CHECK(connection.take() ==
        std::vector<ordered_json>{ordered_json::parse(
            R"({"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{
                                     "notifications":{"resourcesListChanged":true},
                                     "_meta":{"io.modelcontextprotocol/subscriptionId":"L"}}})")});
  CHECK(connection.peer().in_flight().size() == 1);
  connection.cancel("\"L\"");
  CHECK(connection.take().empty());
  CHECK(connection.peer().in_flight().size() == 0);
}

TEST_CASE("resources without tabs: read, missing, subscribed to, completed") {
  Connection connection;
  CHECK(connection.ask("resources/list")["result"]["resources"].size() == 1);
  CHECK(connection.ask("resources/templates/list")["result"]["resourceTemplates"].size() == 2);
  for (const std::string uri : {"terminally://tab/@1/log", "terminally://nothing", "other:x", ""}) {
    const ordered_json legacy = connection.ask("resources/read", R"({"uri":")" + uri + "\"}")["error"];
    CHECK(legacy["code"] == -32002);
    CHECK(legacy["data"]["uri"] == uri);
    const ordered_json modern = connection.ask("resources/read", claim(R"(,"uri":")" + uri + "\""))["error"];
    CHECK(modern["code"] == kInvalidParams);
    CHECK(modern["data"]["uri"] == uri);
  }
  CHECK(connection.error_of("resources/read", "{}") == kInvalidParams);
  CHECK(connection.error_of("resources/subscribe", R"({"uri":"terminally://tab/@1/log"})") == -32002);
  CHECK(connection.error_of("resources/subscribe", R"({"uri":"terminally:tabs"})") == -32002);
  CHECK(connection.error_of("resources/subscribe", R"({"uri":"no uri"})") == -32002);
  CHECK(connection.error_of("resources/subscribe", R"({"uri":"test://watched-resource"})") == 0);
  CHECK(connection.error_of("resources/unsubscribe", R"({"uri":"test://watched-resource"})") == 0);
  const auto complete = [&connection](const std::string& ref, const std::string& argument) {
    return connection.error_of("completion/complete",
                               R"({"ref":)" + ref + R"(,"argument":)" + argument + "}");
  };
  const std::string window = R"({"name":"window_id","value":"@"})";
  CHECK(complete(R"({"type":"ref/resource","uri":"terminally://tab/{window_id}/log"})", window) == 0);
  CHECK(complete(R"({"type":"ref/prompt","name":"investigate_test_failure"})", window) == 0);
  CHECK(complete(R"({"type":"ref/resource","uri":"other"})", window) == kInvalidParams);
  CHECK(complete(R"({"type":"ref/prompt","name":"other"})", window) == kInvalidParams);
  CHECK(complete(R"({"type":"ref/other"})", window) == kInvalidParams);
  CHECK(complete(R"({"type":"ref/prompt","name":"build_and_fix"})", R"({"name":"x"})") == kInvalidParams);
}

TEST_CASE("D16: that a task has ended is told to a client that does not read") {
  for (const bool legacy : {true, false}) {
    CAPTURE(legacy);
    Connection connection;
    std::string id;
    if (legacy) {
      id = begin_task(connection);
    } else {
      connection.line(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":)" +
                      knows_tasks(R"(,"name":"slow")") + "}");
      std::vector<ordered_json> answer;  // once it is plain that it is not over at once
      REQUIRE(eventually([&] {
        connection.settle();
        answer = connection.take();
        return !answer.empty();
      }));
      id = answer.at(0)["result"]["taskId"];
    }
    connection.full = true;
    if (!legacy) {
      const std::string filter = R"(,"notifications":{"taskIds":[")" + id + "\"]}";
      connection.line(R"({"jsonrpc":"2.0","id":"L","method":"subscriptions/listen","params":)" +
                      knows_tasks(filter) + "}");
      REQUIRE(connection.take().at(0)["method"] == "notifications/subscriptions/acknowledged");
    }
    connection.open_gate();
    const auto sent = connection.take();
    REQUIRE(sent.size() == 1);
    CHECK(sent[0]["method"] == (legacy ? "notifications/tasks/status" : "notifications/tasks"));
    CHECK(sent[0]["params"]["taskId"] == id);
    CHECK(sent[0]["params"]["status"] == "completed");
    if (!legacy) {
      CHECK(sent[0]["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"] == "L");
    }
  }
}

TEST_CASE("a task that failed within us is told so in each revision, and shows nothing of it (V1)") {
  Task task;
  task.id = "task-x";
  CHECK(task_status(task, Revision::v2025_11_25) == "working");
  task.over.set();
  for (const Revision revision : {Revision::v2025_11_25, Revision::v2026_07_28}) {
    CHECK(task_status(task, revision) == "completed");
    task.fault = true;
    CHECK(task_status(task, revision) == "failed");
    CHECK_THROWS_AS(static_cast<void>(task_outcome(task, revision)), ProtocolError);
    task.fault = false;
  }
  task.error_text = "tab @9 is closed";
  CHECK(task_status(task, Revision::v2025_11_25) == "failed");
  CHECK(task_status(task, Revision::v2026_07_28) == "completed");  // its result says that it is an error
  task.aborted = true;
  CHECK(task_status(task, Revision::v2026_07_28) == "cancelled");
}

TEST_CASE("the end of a task is told by a message that fits, however long its result is (V3)") {
  Task task;
  task.id = "task-x";
  task.over.set();
  for (const std::size_t size : {std::size_t{10}, kMostMessageBytes / 2, 2 * kMostMessageBytes}) {
    CAPTURE(size);
    task.answer.object["output"] = std::string(size, 'x');
    const ordered_json told = modern_task_told(task);
    CHECK(told.dump().size() < kMostMessageBytes);
    CHECK(told["status"] == "completed");
    CHECK(told["result"]["resultType"] == "complete");
    CHECK(told["result"].value("isError", false) == (size > 10));
  }
}
