// Makes the hosts, the core that all peers share, and a peer's settings from a Config.
#include "app/composition.hpp"

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "files/file_access.hpp"
#include "hosts/gateway_id.hpp"
#include "hosts/hosts.hpp"
#include "instance/history.hpp"
#include "mcp/method_table.hpp"
#include "system/this_build.hpp"
#include "tmux/manager.hpp"
#include "toolkit/redaction.hpp"
#include "toolkit/router.hpp"
#include "tools/all_tools.hpp"

namespace terminally {

namespace {

/// The project that this process was started in.
FileRoots project_root() {
  std::error_code error;
  const char* home = std::getenv("HOME");
  return FileRoots::of_project(std::filesystem::current_path(error), home != nullptr ? home : "");
}

FileRoots roots_of(const Config& config) {
  return config.file_roots.empty() ? project_root() : FileRoots::of(config.file_roots);
}

std::chrono::milliseconds sync_window_of(const Config& config) {
  return std::chrono::milliseconds(config.sync_window_ms);
}

}  // namespace

Implementation this_implementation() {
  return {"terminally-mcp", this_build().version};
}

Config in_project(Config config) {
  try {
    config.project = project_root().find(".").absolute;
  } catch (const Error&) {  // it was started in none
  }
  return config;
}

std::shared_ptr<Hosts> make_hosts(const boost::asio::any_io_executor& executor, TmuxManager& manager,
                                  const Config& config) {
  const std::vector<HostEntry> entries =
      config.gateway.empty() ? read_hosts(config.hosts_file) : std::vector<HostEntry>();
  const Host::Before own = [&manager] { return manager.own_instance(); };
  return entries.empty() ? nullptr
                         : std::make_shared<Hosts>(executor, entries, config, manager.instance_name(), own);
}

std::shared_ptr<const Core> make_core(const boost::asio::any_io_executor& executor, TmuxManager& manager,
                                      const Config& config, std::shared_ptr<Hosts> hosts) {
  Services services;
  services.manager = &manager;
  services.sync_window = sync_window_of(config);
  services.hosts = std::move(hosts);
  auto router = std::make_shared<const Router>(all_tools(), std::move(services));
  return make_core(executor, std::move(router), this_implementation());
}

std::shared_ptr<const PeerSettings> settings_of(const Config& config, std::function<void()> on_goodbye) {
  PeerSettings settings;
  settings.identity = "stdio";
  settings.view = config.view;
  settings.answers = config.answers;
  settings.files = std::make_shared<FileAccess>(roots_of(config), sync_window_of(config));
  settings.redaction = make_redaction(config);
  if (!config.gateway.empty()) {
    auto find_command = [config](const std::string& key) -> std::optional<FoundCommand> {
      const auto found = find_by_key(Instance(config, config.instance), key);
      return found ? std::optional(FoundCommand{found->window_id, found->record.id}) : std::nullopt;
    };
    auto place = [config] { return place_of_records(config); };
    settings.gateway = GatewaySide{std::move(find_command), std::move(place), std::move(on_goodbye)};
  }
  return std::make_shared<const PeerSettings>(std::move(settings));
}

}  // namespace terminally
