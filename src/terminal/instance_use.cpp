// Says who uses an instance: its server's process has the project as its directory, and its clients have
// names in the instance's files.
#include "terminal/instance_use.hpp"

#include <cstdlib>

#include "files/project.hpp"
#include "instance/own_mains.hpp"
#include "system/proc.hpp"
#include "terminal/print.hpp"

namespace terminally {

InstanceUse use_of(const Instance& instance) {
  InstanceUse use;
  use.server_pid = instance.owner_pid();
  if (use.server_pid == 0) {
    return use;
  }
  const std::string directory = process_cwd(use.server_pid);
  const char* home = std::getenv("HOME");
  const std::string project =
      directory.empty() || home == nullptr ? "" : project_of(directory, home).string();
  use.in_project = !project.empty();
  use.project = use.in_project ? project : directory;
  const auto server = process_info(use.server_pid);
  const auto starter = server && server->parent > 1 ? process_info(server->parent) : std::nullopt;
  use.starter = starter ? starter->name : "";
  use.clients = clients_at(instance);
  return use;
}

namespace {

/// A client that has not run a command yet is known by its process only, which may be a shell or an
/// interpreter.
std::string users_in_words(const InstanceUse& use) {
  if (use.clients.empty()) {
    return use.starter.empty() ? "no client" : "started by " + on_one_line(use.starter);
  }
  std::string names;
  for (const std::string& client : use.clients) {
    names += (names.empty() ? "" : ", ") + on_one_line(client);
  }
  return (use.clients.size() == 1 ? "client " : "clients ") + names;
}

}  // namespace

std::string in_words(const Instance& instance) {
  const InstanceUse use = use_of(instance);
  if (use.server_pid == 0) {
    return instance.name() + ": no agent is connected; its tabs go on";
  }
  return instance.name() + ": " + on_one_line(use.project) + ", " + users_in_words(use) + " (server " +
         std::to_string(use.server_pid) + ")";
}

}  // namespace terminally
