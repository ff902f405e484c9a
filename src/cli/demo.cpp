// terminally-mcp demo: a real client talks to a real server, and everything they say is shown.

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "app/composition.hpp"
#include "base/error.hpp"
#include "base/timeout.hpp"
#include "cli/subcommands.hpp"
#include "setup/server_client.hpp"
#include "shell/shell_text.hpp"
#include "terminal/print.hpp"

namespace terminally {
namespace {

using nlohmann::ordered_json;

/// Runs the same in every shell.
constexpr const char* kNoisyLoop =
    "sh -c 'n=0; while :; do n=$((n+1)); echo \"request $n served\"; sleep 0.05; done'";
constexpr int kLooks = 100;
constexpr useconds_t kPauseMicroseconds = 50'000;

/// Colours for a person's terminal, none for a file.
struct Style {
  const char* title = "";
  const char* call = "";
  const char* answer = "";
  const char* end = "";
};

Style style_for_stdout() {
  const char* no_color = std::getenv("NO_COLOR");  // https://no-color.org
  if (::isatty(STDOUT_FILENO) == 0 || (no_color != nullptr && *no_color != '\0')) {
    return {};
  }
  return {"\x1b[1m", "\x1b[36m", "\x1b[32m", "\x1b[0m"};
}

class Demo {
 public:
  explicit Demo(const Argv& server) : client_(server), style_(style_for_stdout()) {}

  void say(const std::string& text) const {
    print("\n" + std::string(style_.title) + text + style_.end + "\n");
  }

  void initialize() {
    ordered_json params;
    params["protocolVersion"] = "2025-11-25";
    params["capabilities"] = ordered_json::object();
    params["clientInfo"] = {{"name", "terminally-demo"}, {"version", this_implementation().version}};
    show_call("initialize", params);
    show_answer(client_.request("initialize", params));
    client_.notify("notifications/initialized");
  }

  /// Calls a tool and returns its result, shown unless `quietly`. Throws Error when it failed.
  ordered_json call(const std::string& tool, const ordered_json& arguments, bool quietly = false) {
    const ordered_json params = {{"name", tool}, {"arguments", arguments}};
    const ordered_json result = client_.request("tools/call", params);
    if (result.value("isError", false)) {
      throw Error(ErrorCode::internal, tool + ": " + result["content"][0]["text"].get<std::string>());
    }
    if (!quietly) {
      show_call("tools/call", params);
      show_answer(result["structuredContent"]);  // `content` is the same as text
    }
    return result["structuredContent"];
  }

  int close() { return client_.close(); }

 private:
  void show_call(const std::string& method, const ordered_json& params) const {
    print(style_.call + std::string("--> ") + method + " " + params.dump(2) + style_.end + "\n");
  }
  void show_answer(const ordered_json& answer) const {
    print(style_.answer + std::string("<-- ") +
          answer.dump(2, ' ', false, ordered_json::error_handler_t::replace) + style_.end + "\n");
  }

  ServerClient client_;
  Style style_;
};

void show_tools(Demo& demo) {
  demo.say("A client introduces itself.");
  demo.initialize();
  demo.say("It opens a tab: a real terminal, in tmux.");
  const ordered_json tab = demo.call("create_tab", {{"name", "demo"}});
  const std::string id = tab["window_id"];
  demo.say("It runs a command and gets exactly what was printed, and the exit code.");
  demo.call("execute_command",
            {{"window_id", id}, {"command", "echo hello from $(uname -s); ls /nonexistent"}});
  demo.say("It starts something that goes on and on ...");
  demo.call("start_process", {{"window_id", id}, {"command", kNoisyLoop}});
  const ordered_json last_lines = {{"window_id", id}, {"lines", 4}};
  for (int i = 0; i < kLooks; ++i) {
    const std::string content = demo.call("read_logs_from_tab", last_lines, true)["content"];
    if (content.find("request 9 served") != std::string::npos) {
      break;
    }
    ::usleep(kPauseMicroseconds);
  }
  demo.say("... looks at its last lines while it runs ...");
  demo.call("read_logs_from_tab", last_lines);
  demo.say("... and stops it.");
  demo.call("stop_process", {{"window_id", id}});
  demo.say("Everything that the tab ever printed is in its log, also when the client has gone:");
  print(tab["log_path"].get<std::string>() + "\n");
}

int run_demo(const Config& config) {
  const std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
  ::unsetenv("TERMINALLY_INSTANCE");  // the demo uses an unnamed instance, which ends with its server
  const Argv server = {program,
                       "--view",
                       "rendered",
                       "--tmux",
                       config.tmux,
                       "--runtime-dir",
                       config.runtime_root.string(),
                       "--state-dir",
                       config.state_root.string()};
  Demo demo(server);
  show_tools(demo);
  demo.say("The client hangs up; the server puts its tabs away.");
  const int exit_code = demo.close();
  if (exit_code != 0) {
    throw Error(ErrorCode::internal, "the server ended with exit code " + std::to_string(exit_code));
  }
  demo.say("Give it to your own client: Claude Code, or any that setup lists without a name.");
  print("  " + shell_word(program) + " setup claude\n");
  return 0;
}

}  // namespace

void add_demo(CLI::App& app, Config& config, Action& action) {
  CLI::App* command = app.add_subcommand("demo", "A real client talks to a real server, call by call");
  command->footer(
      "Examples:\n"
      "  terminally-mcp demo");
  command->callback([&config, &action] { action = [&config] { return run_demo(config); }; });
}

}  // namespace terminally
