#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "setup/config_text.hpp"

namespace terminally {

// Changes one table of a TOML text, as [mcp_servers.terminally], and leaves every other byte as it is. A new
// table goes to the end, and away again without a trace. All functions throw Error(invalid_argument) where
// the text is no TOML, or has the table in a form that is not edited here: twice, or as an inline table.

/// The strings, arrays of strings, booleans and tables of text in the table, as JSON; nullopt where there is
/// no such table. Values of other kinds are null.
[[nodiscard]] std::optional<nlohmann::ordered_json> toml_table(const ConfigText& text,
                                                               const ConfigPath& table);

/// Makes the table, or sets these fields in it: strings, booleans and arrays of strings.
[[nodiscard]] std::string with_toml_fields(const ConfigText& text, const ConfigPath& table,
                                           const nlohmann::ordered_json& fields);

/// Removes the table, and those within it.
[[nodiscard]] ConfigText without_toml_table(const ConfigText& text, const ConfigPath& table);

}  // namespace terminally
