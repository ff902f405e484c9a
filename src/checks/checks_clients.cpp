// Checks of `doctor` for MCP clients: whether their configuration starts this program, or leads to one that
// serves.

#include <cstdlib>

#include "checks/checks.hpp"
#include "files/project.hpp"
#include "setup/client_states.hpp"

namespace terminally {
namespace {

Finding finding_of(const ClientState& state, const std::string& flag) {
  const std::string what = "client " + std::string(state.client->name) + ": " +
                           (state.kind == ClientState::Kind::unreadable ? "" : state.file.string() + " ") +
                           in_words(state);
  const std::string mend = "terminally-mcp setup " + std::string(state.client->name) + flag;
  switch (state.kind) {
    case ClientState::Kind::missing:
      return wrong(what, mend);
    case ClientState::Kind::unserved:
      return warning(what, "terminally-mcp serve, or terminally-mcp open, must run when the client does");
    case ClientState::Kind::stranger:
      return wrong(what, "terminally-mcp open serves; then " + mend + " --http writes where");
    case ClientState::Kind::refused:
      return wrong(what,
                   mend + " --http --role exec writes one that is good; --role view, one that may only look");
    case ClientState::Kind::other:
      return warning(what, mend + " makes it this one");
    case ClientState::Kind::foreign:
      return warning(what, "rename it, then " + mend);
    case ClientState::Kind::unreadable:
      return warning(what, "mend the file; terminally-mcp setup cannot change it");
    case ClientState::Kind::disabled:
      return warning(what, "switch it on in the client");
    case ClientState::Kind::not_set_up:
      return fine(what + "; " + mend + " adds one");
    default:
      return fine(what);
  }
}

}  // namespace

/// The user's own configurations, and those of the project that doctor is called in. Clients of which there
/// is no sign are passed over.
Findings check_clients(const Config& /*config*/) {
  Findings findings;
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::filesystem::path home = std::getenv("HOME");
  const std::filesystem::path project = project_of(std::filesystem::current_path(error), home);
  for (const McpClient& client : all_clients()) {
    const ClientState mine = state_of(client, {home, {}}, self);
    if (mine.kind != ClientState::Kind::absent) {
      findings.push_back(finding_of(mine, ""));
    }
    const ClientState projects = project.empty() ? ClientState() : state_of(client, {home, project}, self);
    if (projects.kind != ClientState::Kind::absent && projects.kind != ClientState::Kind::not_set_up) {
      findings.push_back(finding_of(projects, " --project ."));
    }
  }
  if (findings.empty()) {
    findings.push_back(fine("clients: no MCP client was found; terminally-mcp setup lists those it knows"));
  }
  return findings;
}

}  // namespace terminally
