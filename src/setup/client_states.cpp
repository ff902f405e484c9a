// Looks whether the configuration of a client starts this program.
#include "setup/client_states.hpp"

#include "base/error.hpp"
#include "base/process.hpp"
#include "setup/changes.hpp"
#include "setup/client_entry.hpp"
#include "setup/serve_client.hpp"

namespace terminally {
namespace {

/// A file in the home directory itself says nothing by its directory.
bool has_sign_of(const std::filesystem::path& file, const ClientPlaces& places) {
  std::error_code error;
  const std::filesystem::path directory = file.parent_path();
  return std::filesystem::exists(file, error) || (directory != places.home && directory != places.project &&
                                                  std::filesystem::is_directory(directory, error));
}

ClientState::Kind kind_of_address(const StartedServer& server) {
  try {
    switch (reach_serve(server.url, server.token)) {
      case Reached::nobody:
        return ClientState::Kind::unserved;
      case Reached::refused:  // what a variable holds is known to the client alone
        return server.token.empty() ? ClientState::Kind::fine : ClientState::Kind::refused;
      case Reached::let_in:
        return ClientState::Kind::fine;
      case Reached::other:
        break;
    }
  } catch (const Error&) {  // NOLINT(bugprone-empty-catch): it does not answer
  }
  return ClientState::Kind::stranger;
}

ClientState::Kind kind_of_entry(const StartedServer& server, const std::filesystem::path& self) {
  if (!server.not_ours.empty()) {
    return ClientState::Kind::foreign;
  }
  if (!server.url.empty()) {
    return server.is_disabled ? ClientState::Kind::disabled : kind_of_address(server);
  }
  const std::filesystem::path program =
      server.argv.empty() ? std::filesystem::path() : find_program(server.argv.front());
  std::error_code error;
  if (program.empty() || !is_program(program)) {
    return ClientState::Kind::missing;
  }
  const std::string start = words_to_start(self.string()).front();
  if (start != self ? program.filename() != start : !std::filesystem::equivalent(program, self, error)) {
    return ClientState::Kind::other;
  }
  return server.is_disabled ? ClientState::Kind::disabled : ClientState::Kind::fine;
}

}  // namespace

ClientState state_of(const McpClient& client, const ClientPlaces& places, const std::filesystem::path& self) {
  ClientState state;
  state.client = &client;
  if (!places.project.empty() && client.project.empty()) {
    return state;
  }
  state.file = configuration_of(client, places);
  if (!has_sign_of(state.file, places)) {
    return state;
  }
  try {
    std::optional<StartedServer> server;
    static_cast<void>(planned(state.file, places.project, [&](const ConfigText& text) {
      server = server_in(client, text, self.string());
      return text;
    }));
    state.kind = server ? kind_of_entry(*server, self) : ClientState::Kind::not_set_up;
    state.problem = server ? server->not_ours : "";
    state.program = server && !server->argv.empty() ? server->argv.front() : "";
    state.url = server ? server->url : "";
  } catch (const Error& error) {
    state.kind = ClientState::Kind::unreadable;
    state.problem = error.what();
  }
  return state;
}

std::string in_words(const ClientState& state) {
  switch (state.kind) {
    case ClientState::Kind::absent:
      return "not found here";
    case ClientState::Kind::not_set_up:
      return "has no entry";
    case ClientState::Kind::unreadable:
      return state.problem;
    case ClientState::Kind::missing:
      return "starts " + (state.program.empty() ? "nothing" : state.program + ", which is not there");
    case ClientState::Kind::foreign:
      return std::string("has a \"") + kServerName + "\" that is not of this program: " + state.problem;
    case ClientState::Kind::other:
      return "starts another program, " + state.program;
    case ClientState::Kind::unserved:
      return "goes to " + state.url + ", where nobody serves now";
    case ClientState::Kind::stranger:
      return "goes to " + state.url + ", where something else answers";
    case ClientState::Kind::refused:
      return "goes to " + state.url + ", where its token is not good";
    case ClientState::Kind::disabled:
      return "has an entry that is switched off";
    case ClientState::Kind::fine:
      break;
  }
  return state.url.empty() ? "starts this program" : "goes to " + state.url;
}

}  // namespace terminally
