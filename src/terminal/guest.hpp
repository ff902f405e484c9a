#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/awaitable.hpp"
#include "config.hpp"
#include "instance/instance.hpp"
#include "tmux/manager.hpp"

namespace terminally {

/// Those of `instances` that belong to the project of the current directory: the one that `auto` means there,
/// else those whose server was started there.
[[nodiscard]] std::vector<std::string> of_project_here(const Config& config,
                                                       std::vector<std::string> instances);

/// Throws Error(not_found) where an instance that nobody named is another project's than that of the current
/// directory, as far as its server says.
void refuse_other_project(const Config& config, const std::string& instance);

/// The name of the instance that a person means: --instance, the running one of the project that they are in,
/// or the only running one. Throws Error(not_found) that says which instances run and what to do.
[[nodiscard]] std::string running_instance(const Config& config);

/// The name of the instance whose tabs on hosts a person means: --instance, or the only one that is used. It
/// needs no tab on this machine. Throws as running_instance.
[[nodiscard]] std::string instance_on_hosts(const Config& config);

/// The instances that have tabs here, or a server, by name.
[[nodiscard]] std::vector<std::string> used_instances(const Config& config);

/// Whether the instance `name` has tabs here, or a server.
[[nodiscard]] bool is_used(const Config& config, const std::string& name);

/// The instance whose logs and records a person means: the one of --instance, if it runs or has left logs,
/// else running_instance. Where nothing that runs has a log of `tab`: the one of the project here that has
/// one, or the only one. Throws as running_instance, and where several have one.
[[nodiscard]] Instance instance_to_read(const Config& config, std::optional<WindowId> tab);

/// The configuration of a manager that works in an instance beside the server that owns it.
[[nodiscard]] Config guest_of(Config config, const std::string& instance);

/// guest_of for the running instance.
[[nodiscard]] Config guest_config(const Config& config);

/// The configuration that `new` opens a tab with: guest_config, or where nothing of this project runs, or not
/// what --instance names, that of a server which begins the instance. Without --instance that is the
/// project's (`auto`). In / and the home directory it is the only running one, else one that is named after
/// the directory.
[[nodiscard]] Config config_to_open_in(const Config& config);

/// Runs a call of a manager to its end. `config` is one of guest_of, or of config_to_open_in.
void run_as_guest(const Config& config, const std::function<Awaitable<void>(TmuxManager&)>& call);

/// The same for a call with an answer.
template <typename T>
[[nodiscard]] T ask_as_guest(const Config& config, const std::function<Awaitable<T>(TmuxManager&)>& call) {
  const auto keep = [](Awaitable<T> work, std::optional<T>& answer) -> Awaitable<void> {
    T result = co_await std::move(work);
    answer.emplace(std::move(result));
  };
  std::optional<T> answer;
  run_as_guest(config, [&](TmuxManager& manager) { return keep(call(manager), answer); });
  return std::move(*answer);
}

/// The tabs of a running instance. `config` is one of guest_of.
[[nodiscard]] std::vector<TabInfo> tabs_of(const Config& config);

}  // namespace terminally
