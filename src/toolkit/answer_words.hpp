#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "toolkit/answer_shape.hpp"

namespace terminally {

// The values of an answer in its text. All values may have been chosen by strangers: each stays on its line,
// and cannot pass for words of this side.

/// `text` on one line.
[[nodiscard]] std::string as_one_line(std::string_view text);

/// A value on one line: a text that is not a plain word is quoted as JSON does.
[[nodiscard]] std::string value_words(const nlohmann::ordered_json& value);

/// Whether the text leaves the field out: `how` says so, or it is false, null or empty.
[[nodiscard]] bool goes_without_saying(const nlohmann::ordered_json& value, const InText& how);

/// The field as part of the last line, e.g. "next_byte 120".
[[nodiscard]] std::string field_words(const AnswerShape::Field& field, const nlohmann::ordered_json& value);

/// The field of that name; one without a word about it where the description has none.
[[nodiscard]] AnswerShape::Field field_named(const std::vector<AnswerShape::Field>& fields,
                                             std::string_view name);

/// A list as lines: texts one a line, objects as a table with their names as its head, or as `as_lines` says.
[[nodiscard]] std::string list_lines(const AnswerShape::Field& field, const nlohmann::ordered_json& list);

}  // namespace terminally
