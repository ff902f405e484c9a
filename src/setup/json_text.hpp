#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace terminally {

/// A member of an object, or an element of an array, as offsets into the text.
struct JsonItem {
  std::string key;            ///< of a member
  std::size_t begin = 0;      ///< of the key, or of the element
  std::size_t value = 0;      ///< where the value begins
  std::size_t end = 0;        ///< behind the value
  std::size_t comma = kNone;  ///< the comma behind it, if there is one
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
};

/// An object or array in a text.
struct JsonContainer {
  std::size_t open = 0;   ///< its first bracket
  std::size_t close = 0;  ///< its last bracket
  std::vector<JsonItem> items;
};

/// A JSON text with comments and trailing commas, and where its parts are.
class JsonText {
 public:
  /// Throws Error(invalid_argument) that names the line where the text is no JSON. A text of nothing but
  /// space and comments has no root.
  explicit JsonText(std::string text);

  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] std::optional<std::size_t> root() const;
  /// Whether an object (or an array) begins there.
  [[nodiscard]] bool is_container(std::size_t at, char open) const { return plain_[at] == open; }
  [[nodiscard]] JsonContainer container(std::size_t open) const;
  [[nodiscard]] nlohmann::ordered_json value(std::size_t begin, std::size_t end) const;
  [[nodiscard]] std::size_t end_of_value(std::size_t at) const;

 private:
  [[nodiscard]] std::size_t skip_space(std::size_t at) const;

  std::string text_;
  std::string plain_;   ///< without comments: spaces are in their place
  std::string strict_;  ///< also without trailing commas: JSON as RFC 8259 has it
};

}  // namespace terminally
