// The prompts that clients offer in a menu: their texts, arguments and checks.
#include "mcp/prompts.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/ids.hpp"
#include "json/json_rpc.hpp"
#include "mcp/params.hpp"
#include "mcp/peer.hpp"
#include "secrets/text_guard.hpp"
#include "toolkit/router.hpp"

namespace terminally {
namespace {

using boost::asio::awaitable;
using nlohmann::ordered_json;

struct Argument {
  std::string_view name;
  bool required = false;
  std::string_view description;
};

using Values = std::map<std::string, std::string>;

struct PromptText {
  std::string_view name;
  std::string_view title;
  std::string_view description;
  std::vector<Argument> arguments;
  std::string (*text)(const Values&) = nullptr;
};

std::string given(const Values& values, const char* name, const std::string& fallback = {}) {
  const auto found = values.find(name);
  return found == values.end() ? fallback : found->second;
}

std::string in_directory(const Values& values) {
  const std::string cwd = given(values, "cwd");
  return cwd.empty() ? "" : " in the directory " + cwd;
}

std::string build_text(const Values& values) {
  const std::string command = given(values, "command");
  return "Run this build" + in_directory(values) + " and fix what fails, until it succeeds:\n\n    " +
         command +
         "\n\nHow:\n"
         "1. create_tab named \"build\"" +
         (given(values, "cwd").empty() ? "" : ", with that cwd") +
         "; keep its window_id and use this one tab throughout.\n"
         "2. execute_command with the command as it is, render: true, and a timeout_ms that fits a build "
         "(600000). Do not pipe it through tail or grep: long output is cut in the middle, and the whole of "
         "it stays in the tab's log.\n"
         "3. state \"running\": it goes on. wait_for with until: \"exit\", or get_command_state, until it "
         "has ended; awaiting_input says that it asks something: answer with send_text.\n"
         "4. exit_code 0: say so and stop. Otherwise find the first error: search_logs with a pattern such "
         "as \"error|FAILED\" from the command's start_byte; read around it with stream_logs_from_tab.\n"
         "5. Fix the cause in the sources, not the symptom in the build, and run the same command again. If "
         "the same error comes back twice, say what you have tried and ask.\n"
         "At the end tell what was wrong, what you changed, and the last exit code.";
}

std::string server_text(const Values& values) {
  const std::string port = given(values, "port");
  const std::string pattern = given(values, "ready_pattern", "listening|ready|started");
  const std::string wait =
      port.empty() ? "until: \"pattern\", pattern: \"" + pattern + "\"" : "until: \"port\", port: " + port;
  return "Start this development server" + in_directory(values) + " and wait until it is ready:\n\n    " +
         given(values, "command") +
         "\n\nHow:\n"
         "1. list_tabs first: if a tab already runs it, use that one. Otherwise create_tab named \"server\"" +
         (given(values, "cwd").empty() ? "" : ", with that cwd") +
         ".\n"
         "2. start_process in that tab with " +
         wait +
         " and timeout_ms: 60000. One call: it returns the moment the server is ready, or when it has died, "
         "with what was printed.\n"
         "3. matched false: read the reason and the output. If the process exited, read_logs_from_tab shows "
         "why; fix that and start it again. If it only timed out it still runs: wait_for with the same "
         "arguments.\n"
         "4. Leave it running. Report the window_id, the address it serves at, and that stop_process ends "
         "it. Later, stream_logs_from_tab from next_byte shows what it printed since.";
}

std::string test_text(const Values& values) {
  const std::string tab = given(values, "window_id");
  const std::string test = given(values, "test");
  const std::string where = tab.empty()
                                ? "list_tabs, and take the tab in which the tests ran"
                                : "the tests ran in the tab " + tab + "; its log has all they printed";
  const std::string pattern = test.empty() ? "FAIL|Error|Traceback|panicked|assert" : test;
  return "Find out why " + (test.empty() ? std::string("the tests fail") : "the test " + test + " fails") +
         ", from the logs, before changing anything.\n\nHow:\n"
         "1. " +
         where +
         ".\n"
         "2. get_command_state of that tab: exit code, start_byte and end_byte of the run.\n"
         "3. search_logs with pattern: \"" +
         pattern +
         "\", from_byte: start_byte, context_lines: 5. The first failure counts most; later ones often "
         "follow from it. stream_logs_from_tab reads more around a match, by its byte.\n"
         "4. Read the test and the code it names. Say in one sentence what was expected, what happened, and "
         "why you think so, quoting the lines of the log.\n"
         "5. Check it: execute_command that runs this one test alone, in a new tab. If it passes alone, "
         "suspect order, shared state or time.\n"
         "6. Only then fix it, run that test, then the whole suite, and report both exit codes.";
}

const std::array<PromptText, 3>& prompts() {
  static const std::array<PromptText, 3> all = {{
      {"build_and_fix",
       "Run a build and fix it",
       "Run a build in a tab, find the first error in its log, fix it, repeat until it succeeds.",
       {{"command", true, "The build command, e.g. \"npm run build\"."},
        {"cwd", false, "Directory to run it in. Default: where the tab starts."}},
       &build_text},
      {"start_dev_server",
       "Start a development server",
       "Start a server in a tab of its own and wait until it is ready.",
       {{"command", true, "The command, e.g. \"npm run dev\"."},
        {"cwd", false, "Directory to run it in. Default: where the tab starts."},
        {"port", false, "TCP port that it listens on when it is ready."},
        {"ready_pattern", false, "Without a port: the pattern it prints when it is ready."}},
       &server_text},
      {"investigate_test_failure",
       "Investigate a failing test",
       "Find out from the logs why a test fails, before changing anything.",
       {{"window_id", false, "The tab the tests ran in, e.g. \"@3\". Default: the agent looks for it."},
        {"test", false, "Name of the failing test. Default: the first failure."}},
       &test_text},
  }};
  return all;
}

const PromptText* find_prompt(std::string_view name) {
  const auto* found = std::ranges::find(prompts(), name, &PromptText::name);
  return found == prompts().end() ? nullptr : found;
}

[[noreturn]] void refuse(std::string_view argument, const std::string& problem) {
  throw ProtocolError(kInvalidParams, "Invalid params: argument " + std::string(argument) + " " + problem);
}

void check_port(const std::string& text) {
  unsigned port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (error != std::errc() || end != text.data() + text.size() || port == 0 || port > 65'535) {
    refuse("port", "must be a number from 1 to 65535");
  }
}

/// Checks the arguments, without the empty ones: forms send a field that was left empty as "".
Values checked_arguments(const PromptText& prompt, Values values) {
  std::erase_if(values, [](const auto& entry) { return entry.second.empty(); });
  constexpr std::size_t kMostBytes = 65'536;
  for (const auto& [name, value] : values) {
    if (!prompt_has_argument(prompt.name, name)) {
      refuse(name, "is unknown to the prompt " + std::string(prompt.name));
    }
    if (value.size() > kMostBytes) {
      refuse(name, "has " + std::to_string(value.size()) + " bytes; at most " + std::to_string(kMostBytes) +
                       " are allowed");
    }
    if (name == "port") {
      check_port(value);
    }
    if (name == "window_id" && !parse_window_id(value)) {
      refuse(name, "must be \"@\" and digits, as list_tabs returns");
    }
  }
  for (const Argument& argument : prompt.arguments) {
    if (argument.required && !values.contains(std::string(argument.name))) {
      refuse(argument.name, "is missing");
    }
  }
  return values;
}

}  // namespace

bool prompt_exists(std::string_view name) {
  return find_prompt(name) != nullptr;
}

bool prompt_has_argument(std::string_view prompt, std::string_view argument) {
  const PromptText* found = find_prompt(prompt);
  return found != nullptr &&
         std::ranges::find(found->arguments, argument, &Argument::name) != found->arguments.end();
}

awaitable<ordered_json> list_prompts(Peer& /*peer*/, ExchangePtr exchange) {
  refuse_cursor(*exchange->params());
  ordered_json entries = ordered_json::array();
  for (const PromptText& prompt : prompts()) {
    ordered_json entry;
    entry["name"] = prompt.name;
    entry["title"] = prompt.title;
    entry["description"] = prompt.description;
    for (const Argument& argument : prompt.arguments) {
      ordered_json described;
      described["name"] = argument.name;
      described["description"] = argument.description;
      described["required"] = argument.required;
      entry["arguments"].push_back(std::move(described));
    }
    entries.push_back(std::move(entry));
  }
  ordered_json result;
  result["prompts"] = without_titles(std::move(entries), exchange->revision());
  add_cache_hints(result, exchange->revision(), Lifetime::server);
  co_return result;
}

awaitable<ordered_json> get_prompt(Peer& peer, ExchangePtr exchange) {
  const std::string& name = need_string(*exchange->params(), "name");
  const PromptText* prompt = find_prompt(name);
  if (prompt == nullptr) {
    throw ProtocolError(kInvalidParams, "Unknown prompt: " + name);
  }
  const Values values = checked_arguments(*prompt, string_map(*exchange->params(), "arguments"));
  ordered_json message;
  message["role"] = "user";
  message["content"]["type"] = "text";
  const auto guard = peer.core().router->new_guard(*peer.settings());
  const std::string text = prompt->text(values);
  message["content"]["text"] = guard ? guard->masked(text) : text;
  ordered_json result;
  result["description"] = prompt->description;
  result["messages"].push_back(std::move(message));
  co_return result;
}

}  // namespace terminally
