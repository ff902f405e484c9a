// Finds the running instance that a person means, and reads its tabs beside the server that owns it; or says
// which one begins.
#include "terminal/guest.hpp"

#include <algorithm>
#include <boost/asio.hpp>
#include <cstdlib>
#include <exception>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/spawned.hpp"
#include "files/project.hpp"
#include "instance/instance.hpp"
#include "instance/tab_ids.hpp"
#include "terminal/instance_use.hpp"
#include "tmux/server/instance_end.hpp"

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

/// The project that a person is in; empty: in none, as in the home directory.
std::filesystem::path project_here() {
  std::error_code error;
  const std::filesystem::path here = std::filesystem::current_path(error);
  const char* home = std::getenv("HOME");
  return error ? std::filesystem::path() : project_of(here, home != nullptr ? home : "");
}

/// The instance of --instance, that of the project here, or the only running one.
std::string chosen(const Config& config, const std::vector<std::string>& running) {
  std::string name = config.instance.empty() ? "" : Instance(config, config.instance).name();
  if (running.empty()) {
    throw Error(ErrorCode::not_found,
                "no instance" + (name.empty() ? "" : " \"" + name + "\"") + " runs in " +
                    config.runtime_root.string() +
                    ": it begins with the first tab, which an agent opens, or you by `terminally-mcp new" +
                    (name.empty() ? "" : " --instance " + name) +
                    "`. Another place: --runtime-dir. The logs of ended tabs are below " +
                    config.state_root.string());
  }
  if (!name.empty() && std::find(running.begin(), running.end(), name) == running.end()) {
    throw Error(ErrorCode::not_found, "no instance \"" + name + "\" runs; there is: " + listed(running));
  }
  if (!name.empty()) {
    return name;
  }
  const std::vector<std::string> here = of_project_here(config, running);
  const std::vector<std::string>& possible = here.empty() ? running : here;
  if (possible.size() > 1) {
    throw Error(ErrorCode::not_found,
                "several instances run, choose one with --instance: " + listed(possible));
  }
  return possible.front();
}

/// Empty: no instance had this tab, or one that runs.
std::string ended_instance_with(const Config& config, WindowId tab) {
  trust_runtime_root(config);
  std::vector<std::string> found = known_instances(config);
  std::erase_if(found, [&](const std::string& name) { return !generation_of(Instance(config, name), tab); });
  if (found.empty() || std::ranges::any_of(found, [&](const auto& name) { return is_used(config, name); })) {
    return "";
  }
  const std::vector<std::string> here = of_project_here(config, found);
  const std::vector<std::string>& possible = here.empty() ? found : here;
  if (possible.size() > 1) {
    throw Error(ErrorCode::not_found, "several instances that run no more had a tab " + to_string(tab) +
                                          ", choose one with --instance: " + listed(possible));
  }
  return possible.front();
}

/// What an agent started here would use, so that both share it, and in no project a name all the same: what a
/// person opens is to last.
std::string instance_to_begin() {
  std::error_code error;
  const std::filesystem::path here = std::filesystem::current_path(error);
  if (error) {
    throw Error(ErrorCode::not_found,
                "the current directory is unknown (" + error.message() +
                    "), and no instance runs; go elsewhere, or give --instance and --cwd");
  }
  const std::filesystem::path project = project_here();
  return instance_of_project(project.empty() ? here : project);
}

/// Puts the manager away behind a call, which for a guest is next to nothing. An instance that was to begin
/// with the call, and has no tab, goes too.
Awaitable<void> call_and_shut_down(const Config& config, TmuxManager& manager, Awaitable<void> call) {
  std::exception_ptr failure;
  try {
    co_await std::move(call);
  } catch (const std::exception&) {
    failure = std::current_exception();
  }
  co_await manager.shut_down();
  if (failure) {
    static_cast<void>(co_await clean_instance(config, config.instance));
    std::rethrow_exception(failure);
  }
}

}  // namespace

std::vector<std::string> of_project_here(const Config& config, std::vector<std::string> instances) {
  const std::filesystem::path project = project_here();
  if (project.empty()) {
    return {};
  }
  const std::string own = instance_of_project(project);
  if (std::ranges::find(instances, own) != instances.end()) {
    return {own};
  }
  std::erase_if(instances, [&](const std::string& name) {
    return use_of(Instance(config, name)).project != project.string();
  });
  return instances;
}

void refuse_other_project(const Config& config, const std::string& instance) {
  const std::filesystem::path project = project_here();
  const InstanceUse use = use_of(Instance(config, instance));
  if (!project.empty() && use.in_project && of_project_here(config, {instance}).empty()) {
    throw Error(ErrorCode::not_found, "nothing of this project, " + project.string() +
                                          ", runs: `terminally-mcp new` opens a tab here. What runs is in " +
                                          use.project + ": name a tab, or --instance " + instance);
  }
}

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

Instance instance_to_read(const Config& config, std::optional<WindowId> tab) {
  if (!config.instance.empty() && Instance(config, config.instance).newest_generation() > 0) {
    return Instance(config, config.instance);
  }
  const std::string ended = config.instance.empty() && tab ? ended_instance_with(config, *tab) : "";
  return Instance(config, ended.empty() ? running_instance(config) : ended);
}

Config guest_of(Config config, const std::string& instance) {
  config.instance = instance;
  config.guest = true;
  if (const std::filesystem::path project = project_here();
      !project.empty() && of_project_here(config, {instance}) == std::vector{instance}) {
    config.project = project;
  }
  return config;
}

Config guest_config(const Config& config) {
  return guest_of(config, running_instance(config));
}

Config config_to_open_in(const Config& config) {
  trust_runtime_root(config);
  const std::vector<std::string> running = running_instances(config);
  const auto is_for_any = [&config](const std::string& name) {  // an agent that was started in no project
    const InstanceUse use = use_of(Instance(config, name));
    return use.server_pid != 0 && !use.in_project;
  };
  const bool none_for_us = !project_here().empty() && of_project_here(config, running).empty() &&
                           std::ranges::none_of(running, is_for_any);
  const bool begins = config.instance.empty() ? running.empty() || none_for_us
                                              : std::ranges::find(running, config.instance) == running.end();
  if (!begins) {
    return guest_of(config, chosen(config, running));
  }
  Config beginning = config;
  beginning.instance = config.instance.empty() ? instance_to_begin() : config.instance;
  beginning.project = project_here();
  return beginning;
}

/// Only a guest's calls leave nothing behind that would go on.
void run_as_guest(const Config& config, const std::function<Awaitable<void>(TmuxManager&)>& call) {
  boost::asio::io_context io(1);
  TmuxManager manager(io.get_executor(), config);
  if (config.guest) {
    const Spawned<> called(io.get_executor(), call(manager));
    io.run();
    called.result();
    return;
  }
  std::exception_ptr failure;
  boost::asio::co_spawn(io, call_and_shut_down(config, manager, call(manager)),
                        [&](const std::exception_ptr& error) {
                          failure = error;
                          io.stop();
                        });
  io.run();
  if (failure) {
    std::rethrow_exception(failure);
  }
}

std::vector<TabInfo> tabs_of(const Config& config) {
  return ask_as_guest<std::vector<TabInfo>>(config,
                                            [](TmuxManager& manager) { return manager.tabs().list(); });
}

}  // namespace terminally
