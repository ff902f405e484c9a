#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string_view>

#include "setup/config_text.hpp"

namespace terminally {

// Changes one place of a JSON text and leaves every other byte as it is: comments, trailing commas, a byte
// order mark, indentation and ends of lines. What was added goes away again without a trace, as its form
// tells what was made for it: an object that was there and is empty gets its member without a space before.
//
// All functions throw Error(invalid_argument), which names the line or the key, where the text is no JSON
// object, a key of the path is there twice, or a value on the way is no object.

/// The value at `path`; nullopt where there is none.
[[nodiscard]] std::optional<nlohmann::ordered_json> json_value(const ConfigText& text,
                                                               const ConfigPath& path);

/// Adds or replaces the value at `path`. A text that has this value is returned as it is.
[[nodiscard]] std::string with_json_value(const ConfigText& text, const ConfigPath& path,
                                          const nlohmann::ordered_json& value);

/// Removes the value at `path`, and the objects on the way that were made for it.
[[nodiscard]] ConfigText without_json_value(const ConfigText& text, const ConfigPath& path);

/// The same for one text among the elements of the array at `path`.
[[nodiscard]] std::string with_json_element(const ConfigText& text, const ConfigPath& path,
                                            const std::string& element);
[[nodiscard]] ConfigText without_json_element(const ConfigText& text, const ConfigPath& path,
                                              const std::string& element);

}  // namespace terminally
