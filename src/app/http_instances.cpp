// Opens instances for programs that come over HTTP.
#include "app/http_instances.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <utility>

#include "app/composition.hpp"
#include "base/spawned.hpp"
#include "base/timeout.hpp"
#include "hosts/hosts.hpp"
#include "instance/instance.hpp"
#include "tmux/manager.hpp"

namespace terminally {
namespace {

Config config_of(Config config, const std::string& name) {
  if (!name.empty()) {
    static_cast<void>(Instance(config, name));  // throws where no instance can have that name
    config.instance = name;
  }
  return config;
}

PeerSettingsPtr settings_for(const PeerSettings& all, bool only_looks) {
  PeerSettings settings = all;
  settings.identity = only_looks ? "http view" : "http exec";
  settings.only_looks = only_looks;
  return std::make_shared<const PeerSettings>(std::move(settings));
}

}  // namespace

struct HttpInstances::Opened {
  Opened(const boost::asio::any_io_executor& executor, Config of)
      : config(std::move(of)), manager(executor, config), hosts(make_hosts(executor, manager, config)) {}

  Config config;
  TmuxManager manager;
  std::shared_ptr<Hosts> hosts;
};

HttpInstances::HttpInstances(boost::asio::any_io_executor executor, Config config)
    : executor_(std::move(executor)), config_(std::move(config)) {}
HttpInstances::~HttpInstances() = default;

ServedInstance HttpInstances::open(const std::string& name) {
  auto opened = std::make_unique<Opened>(executor_, config_of(config_, name));
  const auto all = settings_of(opened->config, nullptr);
  ServedInstance instance;
  instance.core = make_core(executor_, opened->manager, opened->config, opened->hosts);
  instance.view = settings_for(*all, true);
  instance.exec = settings_for(*all, false);
  instance.ends_with_process = opened->config.instance.empty();
  boost::asio::co_spawn(executor_, opened->manager.look_after_running(), boost::asio::detached);
  opened_.push_back(std::move(opened));
  return instance;
}

Awaitable<void> HttpInstances::shut_down() {
  constexpr Milliseconds kWithin{1'500};
  const auto by = Clock::now() + kWithin;
  std::vector<Spawned<>> ends;
  for (const auto& opened : opened_) {
    ends.emplace_back(executor_, opened->manager.shut_down());
    if (opened->hosts && opened->config.instance.empty()) {
      ends.emplace_back(executor_, opened->hosts->say_goodbye(by));
    }
  }
  for (const Spawned<>& end : ends) {
    co_await end.wait_by(by);
  }
}

}  // namespace terminally
