// Finds the running instance that a person means, and reads its tabs beside the server that owns it.
#include "cli/guest.hpp"

#include <algorithm>
#include <boost/asio.hpp>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/spawned.hpp"
#include "instance/instance.hpp"

namespace terminally {
namespace {

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    text += (text.empty() ? "" : ", ") + name;
  }
  return text;
}

/// Throws where the directory is not this user's alone: another user's socket there must not be trusted.
void trust_runtime_root(const Config& config) {
  std::error_code error;
  if (std::filesystem::symlink_status(config.runtime_root, error).type() !=
      std::filesystem::file_type::not_found) {
    make_private_directory(config.runtime_root);
  }
}

/// The instance of --instance, or the only running one.
std::string chosen(const Config& config, const std::vector<std::string>& running) {
  const std::string name = config.instance.empty() ? "" : Instance(config, config.instance).name();
  if (running.empty()) {
    throw Error(ErrorCode::not_found,
                "no instance" + (name.empty() ? "" : " \"" + name + "\"") + " runs in " +
                    config.runtime_root.string() +
                    ": it begins with the first tab that an agent opens. Another place: --runtime-dir. The "
                    "logs of ended tabs are below " +
                    config.state_root.string());
  }
  if (!name.empty() && std::find(running.begin(), running.end(), name) == running.end()) {
    throw Error(ErrorCode::not_found, "no instance \"" + name + "\" runs; there is: " + listed(running));
  }
  if (name.empty() && running.size() > 1) {
    throw Error(ErrorCode::not_found,
                "several instances run, choose one with --instance: " + listed(running));
  }
  return name.empty() ? running.front() : name;
}

}  // namespace

std::string running_instance(const Config& config) {
  trust_runtime_root(config);
  return chosen(config, running_instances(config));
}

std::string instance_on_hosts(const Config& config) {
  trust_runtime_root(config);
  if (!config.instance.empty()) {
    return Instance(config, config.instance).name();
  }
  return chosen(config, used_instances(config));
}

std::vector<std::string> used_instances(const Config& config) {
  trust_runtime_root(config);
  std::vector<std::string> used = known_instances(config);
  std::erase_if(used, [&config](const std::string& name) { return !is_used(config, name); });
  return used;
}

bool is_used(const Config& config, const std::string& name) {
  const Instance instance(config, name);
  return instance.owner_pid() != 0 || instance.server_listens();
}

Instance instance_to_read(const Config& config) {
  const bool named = !config.instance.empty() && Instance(config, config.instance).newest_generation() > 0;
  return Instance(config, named ? config.instance : running_instance(config));
}

Config guest_of(Config config, const std::string& instance) {
  config.instance = instance;
  config.guest = true;
  return config;
}

Config guest_config(const Config& config) {
  return guest_of(config, running_instance(config));
}

void run_as_guest(const Config& config, const std::function<Awaitable<void>(TmuxManager&)>& call) {
  boost::asio::io_context io(1);
  TmuxManager manager(io.get_executor(), config);
  const Spawned<> called(io.get_executor(), call(manager));
  io.run();
  called.result();
}

std::vector<TabInfo> tabs_of(const Config& config) {
  return ask_as_guest<std::vector<TabInfo>>(config,
                                            [](TmuxManager& manager) { return manager.tabs().list(); });
}

}  // namespace terminally
