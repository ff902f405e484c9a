#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "http/rules.hpp"
#include "setup/clients.hpp"

namespace terminally {

// The entry by which a client reaches `terminally-mcp serve` over HTTP: its address and its token. Pure.

/// Where `serve` has MCP: "http://127.0.0.1:7332/mcp/work".
struct ServeUrl {
  ListenPlace place;
  std::string authority;  ///< as it is written: "127.0.0.1:7332"
  std::string path;       ///< "/mcp", or "/mcp/NAME"
};

/// nullopt for what is no such address of this machine: then it is of some other server.
[[nodiscard]] std::optional<ServeUrl> parse_serve_url(std::string_view url);

/// What an entry is to say.
struct HttpWish {
  std::string authority;  ///< empty: what the entry says already, else 127.0.0.1:7332
  std::string instance;   ///< empty: the same, else the client's name
  std::string token;      ///< empty: the client has it from kTokenVariable, as the file is shared
};

/// Throws Error(invalid_argument) that says what to do, where the client's file takes no address, or where it
/// is shared (`in_project`) and can name no variable.
void refuse_without_http(const McpClient& client, bool in_project);

/// The field of an entry that has an address; null: it has none.
[[nodiscard]] const char* field_of_address(const nlohmann::ordered_json& entry);

/// Why an entry with an address is not one of this program; empty: it is.
[[nodiscard]] std::string why_not_our_address(const nlohmann::ordered_json& entry);

[[nodiscard]] std::string address_in(const nlohmann::ordered_json& entry);

/// Empty where the entry names a variable, or has no token.
[[nodiscard]] std::string token_in(const McpClient& client, const nlohmann::ordered_json& entry);

/// The fields that an entry must have in place of `old`, which may be null. One that names a variable for its
/// token keeps that.
[[nodiscard]] nlohmann::ordered_json http_fields(const McpClient& client, const nlohmann::ordered_json& old,
                                                 const HttpWish& wish);

}  // namespace terminally
