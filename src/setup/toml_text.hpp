#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string_view>
#include <vector>

#include "setup/config_text.hpp"

namespace terminally {

/// A header of a table, or a key with its value, as offsets into the text.
struct TomlStatement {
  std::size_t begin = 0;  ///< of its first line
  std::size_t end = 0;    ///< behind its last line, and the end of that line
  bool is_header = false;
  bool is_array = false;  ///< a header in double brackets
  ConfigPath path;        ///< from the root, also of a key within a table
  std::size_t value = 0;  ///< of a key: where its value begins
  std::size_t value_end = 0;
};

/// The statements of a TOML text in their order. Throws Error(invalid_argument) that names the line where the
/// text cannot be TOML. What a value holds is not checked.
[[nodiscard]] std::vector<TomlStatement> toml_statements(std::string_view text);

/// A string, boolean or array of these as JSON; null for other values.
[[nodiscard]] nlohmann::ordered_json toml_value(std::string_view value);

}  // namespace terminally
