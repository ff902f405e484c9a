#pragma once

#include <boost/asio/awaitable.hpp>
#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include "mcp/exchange.hpp"

namespace terminally {

class Peer;

// Prompts: a person picks one from a menu to have the agent use this server well.

[[nodiscard]] boost::asio::awaitable<nlohmann::ordered_json> list_prompts(Peer& peer, ExchangePtr exchange);
[[nodiscard]] boost::asio::awaitable<nlohmann::ordered_json> get_prompt(Peer& peer, ExchangePtr exchange);

[[nodiscard]] bool prompt_exists(std::string_view name);

/// Whether the prompt exists and has this argument, for completion.
[[nodiscard]] bool prompt_has_argument(std::string_view prompt, std::string_view argument);

}  // namespace terminally
