// Says who uses an instance: its server's process has the project as its directory and the client as its
// parent.
#include "terminal/instance_use.hpp"

#include <cstdlib>

#include "files/project.hpp"
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
  use.project = project.empty() ? directory : project;
  const auto server = process_info(use.server_pid);
  const auto client = server && server->parent > 1 ? process_info(server->parent) : std::nullopt;
  use.client = client ? client->name : "";
  return use;
}

std::string in_words(const Instance& instance) {
  const InstanceUse use = use_of(instance);
  if (use.server_pid == 0) {
    return instance.name() + ": no server looks after it; the next one of this name does";
  }
  return instance.name() + ": " + on_one_line(use.project) +
         (use.client.empty() ? ", no client" : ", client " + on_one_line(use.client)) + " (server " +
         std::to_string(use.server_pid) + ")";
}

}  // namespace terminally
