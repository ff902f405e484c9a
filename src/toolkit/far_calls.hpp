#pragma once

#include <boost/asio/awaitable.hpp>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "toolkit/far_hosts.hpp"

namespace terminally {

class TextGuard;

// What the router does where hosts are configured.

/// Where a call goes, and with which arguments. nullopt: here. Throws Error(invalid_argument) for a host that
/// there is none of.
struct FarRoute {
  std::string host;
  std::shared_ptr<const nlohmann::json> arguments;
};
[[nodiscard]] std::optional<FarRoute> far_route(const FarHosts& hosts, const Tool& tool,
                                                const nlohmann::json& arguments);

/// Makes the call there. What comes back is masked by `guard` (may be null), once more: with what only this
/// side knows to be secret. So is its progress.
[[nodiscard]] boost::asio::awaitable<nlohmann::ordered_json> call_there(FarHosts& hosts, const Tool& tool,
                                                                        FarRoute route, Caller caller,
                                                                        std::shared_ptr<TextGuard> guard);

/// Puts the tabs of connected hosts behind those of a result of list_tabs.
[[nodiscard]] boost::asio::awaitable<void> add_far_tabs(FarHosts& hosts, nlohmann::ordered_json& result,
                                                        std::shared_ptr<TextGuard> guard);

/// What an entry of tools/list says more.
void describe_hosts(const Traits& traits, nlohmann::ordered_json& entry);

}  // namespace terminally
