// Starts or calls the configured server as a client would, and makes calls.
#include "setup/trial.hpp"

#include <unistd.h>

#include <nlohmann/json.hpp>
#include <string_view>

#include "base/error.hpp"
#include "base/process.hpp"
#include "setup/serve_client.hpp"
#include "setup/server_client.hpp"

namespace terminally {
namespace {

using nlohmann::ordered_json;

constexpr const char* kTab = "setup-trial";

/// What the clients' libraries pass to a server, and where our files are if a person moved them. The trial
/// has an instance of its own.
std::vector<std::string> environment_of_client(const StartedServer& server) {
  std::map<std::string, std::string> variables;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::string name(text.substr(0, text.find('=')));
    const bool passes = name == "HOME" || name == "LOGNAME" || name == "PATH" || name == "SHELL" ||
                        name == "TERM" || name == "USER" || name.starts_with("TERMINALLY_");
    if (passes) {
      variables[name] = text.substr(text.find('=') + 1);
    }
  }
  for (const auto& [name, value] : server.environment) {
    variables[name] = value;
  }
  variables.erase("TERMINALLY_INSTANCE");
  std::vector<std::string> environment;
  environment.reserve(variables.size());
  for (const auto& [name, value] : variables) {
    environment.push_back(name + "=" + value);
  }
  return environment;
}

/// The instance that the client will have may have another server by now, and tabs.
Argv in_an_instance_of_its_own(const Argv& argv) {
  Argv own;
  for (std::size_t i = 0; i < argv.size(); ++i) {
    if (argv[i] == "--instance") {
      ++i;
    } else if (!argv[i].starts_with("--instance=")) {
      own.push_back(argv[i]);
    }
  }
  own.insert(own.end(), {"--instance", "unnamed"});
  return own;
}

/// The text of the answer. Throws Error where the tool failed.
template <class Client>
std::string call(Client& client, const std::string& tool, const ordered_json& arguments) {
  const ordered_json result = client.request("tools/call", {{"name", tool}, {"arguments", arguments}});
  const ordered_json content = result.value("content", ordered_json::array());
  std::string text = content.empty() ? "" : content.front().value("text", "");
  if (result.value("isError", false)) {
    throw Error(ErrorCode::internal, "\"" + tool + "\" failed: " + text);
  }
  return text;
}

/// In words: what answers, with how many tools.
template <class Client>
std::string greet(Client& client) {
  ordered_json params;
  params["protocolVersion"] = "2025-11-25";
  params["capabilities"] = ordered_json::object();
  params["clientInfo"] = {{"name", "terminally-setup"}, {"version", "1"}};
  const ordered_json info = client.request("initialize", params)["serverInfo"];
  client.notify("notifications/initialized");
  const std::size_t tools = client.request("tools/list", ordered_json::object())["tools"].size();
  return info.value("name", "") + " " + info.value("version", "") + " answers with " + std::to_string(tools) +
         " tools";
}

/// A role that may only look has this tool, too.
std::string try_address(const StartedServer& server) {
  ServeClient client(server.url, server.token);
  std::string said = greet(client);
  call(client, "list_tabs", ordered_json::object());
  return said + ", and listed its tabs";
}

}  // namespace

std::string try_server(const StartedServer& server, const std::filesystem::path& directory) {
  if (!server.url.empty()) {
    return try_address(server);
  }
  if (server.argv.empty()) {
    throw Error(ErrorCode::invalid_argument, "the entry names no program");
  }
  Argv argv = in_an_instance_of_its_own(server.argv);
  const std::filesystem::path program = find_program(argv.front());
  argv.front() = program.empty() ? argv.front() : program.string();
  ServerClient client(argv, environment_of_client(server), directory);
  const std::string greeting = greet(client);
  call(client, "create_tab", {{"name", kTab}});
  const std::string said =
      call(client, "execute_command", {{"window_id", kTab}, {"command", "echo $((6 * 7))"}});
  call(client, "close_tab", {{"window_id", kTab}});
  if (said.find("42") == std::string::npos) {
    throw Error(ErrorCode::internal, "a command in its tab printed something else than expected: " + said);
  }
  client.close();
  return greeting + ", and ran a command in a tab";
}

}  // namespace terminally
