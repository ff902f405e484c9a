#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <memory>
#include <string>
#include <vector>

#include "config.hpp"
#include "hosts/host.hpp"
#include "toolkit/far_hosts.hpp"

namespace terminally {

/// All hosts that a person has allowed. Each host has its own link, queue and deadlines: a host that hangs
/// costs the others nothing.
class Hosts final : public FarHosts {
 public:
  /// `before` runs before each connection (Host).
  Hosts(const boost::asio::any_io_executor& executor, const std::vector<HostEntry>& entries,
        const Config& config, const std::string& instance, const Host::Before& before);

  [[nodiscard]] std::vector<std::string> names() const override;
  [[nodiscard]] boost::asio::awaitable<nlohmann::ordered_json> call(FarCall call) override;
  [[nodiscard]] boost::asio::awaitable<void> end_command(std::string host, std::string key) override;
  [[nodiscard]] boost::asio::awaitable<FarTabs> tabs(Clock::time_point by) override;
  [[nodiscard]] boost::asio::awaitable<std::vector<FarHostInfo>> look(Clock::time_point by) override;

  /// Tells all hosts that nobody comes back for the tabs there. Returns by `by`.
  [[nodiscard]] boost::asio::awaitable<void> say_goodbye(Clock::time_point by);

  [[nodiscard]] std::shared_ptr<Host> find(const std::string& name) const;
  /// Throws Error(invalid_argument) where there is no such host.
  [[nodiscard]] std::shared_ptr<Host> need(const std::string& name) const;

 private:
  std::vector<std::shared_ptr<Host>> hosts_;
};

/// How this server, or a later one of the same instance, starts the far side of a host. `instance` is the one
/// of this side.
[[nodiscard]] FarStart far_start(const HostEntry& host, const Config& config, const std::string& instance);

/// The path of ssh's control socket: another where the name leads to another machine by now. Empty where it
/// would be too long with the suffix that ssh appends, or has characters that ssh interprets.
[[nodiscard]] std::filesystem::path control_path(const HostEntry& host, const Config& config);

}  // namespace terminally
