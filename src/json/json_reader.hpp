#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace terminally {

/// The text in a field of an object that others wrote; nothing where the field is missing or no string.
/// `Json` is json or ordered_json.
template <class Json>
[[nodiscard]] std::optional<std::string> text_field(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? std::optional(found->template get<std::string>())
                                                     : std::nullopt;
}

/// How many bytes a text takes in a JSON message, where most controls take six ("\u001b") and a newline, a
/// tab, a quote or a backslash two. Budgets of answers count these bytes, which are sent. `text` is valid
/// UTF-8.
[[nodiscard]] std::size_t json_size(std::string_view text);

/// The longest prefix of `text` that takes at most `most` bytes as JSON; it ends between characters.
[[nodiscard]] std::string_view json_prefix(std::string_view text, std::size_t most);

enum class JsonFault {
  none,
  syntax,         ///< not JSON (RFC 8259); NUL included
  too_deep,       ///< more than kMaxJsonDepth arrays and objects in one another
  too_large,      ///< more than kMaxJsonValues values, or kMaxOrderedKeys keys
  duplicate_key,  ///< JSON, but readers disagree on its meaning
  duplicate_id,   ///< as duplicate_key, for the outermost "id", whatever else is repeated
  no_text,        ///< a string is not UTF-8, or has half a surrogate pair (\ud83d)
};

inline constexpr std::size_t kMaxJsonDepth = 128;
inline constexpr std::size_t kMaxJsonValues =
    100'000;  ///< bounds the memory that a small hostile text can take
/// The most keys of one ordered object, where each key is compared with all before it.
inline constexpr std::size_t kMaxOrderedKeys = 256;

/// Reads one JSON text that a stranger wrote: strict, in linear time and without recursion. Never throws on
/// bad input. On `duplicate_key` and `duplicate_id` the value is whole and holds the first of each key; on
/// `no_text` it has U+FFFD where there is no character. So the sender can still be answered. On every other
/// fault the value must not be used. `detail` is for the sender: the place of the error, or the key.
[[nodiscard]] JsonFault read_json(std::string_view text, nlohmann::json& value, std::string& detail);
/// As read_json, but keeps the order of the fields.
[[nodiscard]] JsonFault read_json(std::string_view text, nlohmann::ordered_json& value, std::string& detail);

}  // namespace terminally
