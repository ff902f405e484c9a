#pragma once

#include <optional>
#include <string>

namespace terminally {

/// The text in a field of an object that others wrote; nothing where the field is missing or no string.
/// `Json` is json or ordered_json.
template <class Json>
[[nodiscard]] std::optional<std::string> text_field(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? std::optional(found->template get<std::string>())
                                                     : std::nullopt;
}

}  // namespace terminally
