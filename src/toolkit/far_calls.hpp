#pragma once

#include <boost/asio/awaitable.hpp>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "toolkit/far_hosts.hpp"

namespace terminally {

class TextGuard;

// The part of the router that deals with hosts.

/// The host that a call goes to, and the arguments for that host. far_route returns nullopt for a call on
/// this side, and throws Error(invalid_argument) for an unknown host.
struct FarRoute {
  std::string host;
  std::shared_ptr<const nlohmann::json> arguments;
};
[[nodiscard]] std::optional<FarRoute> far_route(const FarHosts& hosts, const Tool& tool,
                                                const nlohmann::json& arguments);

/// Makes the call there. `guard` (may be null) masks the result and the progress once more, with the secrets
/// that only this side knows.
[[nodiscard]] boost::asio::awaitable<nlohmann::ordered_json> call_there(FarHosts& hosts, const Tool& tool,
                                                                        FarRoute route, Caller caller,
                                                                        std::shared_ptr<TextGuard> guard);

/// Appends the tabs of connected hosts to a result of list_tabs.
[[nodiscard]] boost::asio::awaitable<void> add_far_tabs(FarHosts& hosts, nlohmann::ordered_json& result,
                                                        std::shared_ptr<TextGuard> guard);

/// Adds the fields about hosts to a tool's entry of tools/list.
void describe_hosts(const Traits& traits, nlohmann::ordered_json& entry);

}  // namespace terminally
