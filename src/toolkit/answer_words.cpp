// Writes the values of an answer for its text: words of the last line, and lists as lines or tables.
#include "toolkit/answer_words.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace terminally {
namespace {

using nlohmann::ordered_json;
using Field = AnswerShape::Field;

/// In a table: there is none, or it is false.
constexpr std::string_view kNone = "-";

bool is_plain_word(std::string_view text) {
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("@._/:+~%=,#-").find(c) != std::string_view::npos;
  };
  return !text.empty() && text != kNone && std::ranges::all_of(text, is_plain);
}

std::string json_words(const ordered_json& value) {
  return value.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

std::string object_words(const Field& field, const ordered_json& object) {
  std::string words;
  for (const auto& [name, value] : object.items()) {
    const Field part = field_named(field.items, name);
    if (!goes_without_saying(value, part.how)) {
      words += (words.empty() ? "" : " ") + field_words(part, value);
    }
  }
  return words;
}

std::string objects_words(const Field& field, const ordered_json& list) {
  std::string words;
  for (const ordered_json& item : list) {
    words += (words.empty() ? "" : "; ") + (item.is_object() ? object_words(field, item) : value_words(item));
  }
  return words;
}

/// The fields that say something in one row at least: those that are described in their order, others behind
/// them.
std::vector<Field> columns_of(const Field& field, const ordered_json& rows) {
  std::vector<Field> columns = field.items;
  for (const ordered_json& row : rows) {
    for (const auto& [name, value] : row.items()) {
      if (std::ranges::find(columns, name, &Field::name) == columns.end()) {
        columns.push_back(field_named({}, name));
      }
    }
  }
  std::erase_if(columns, [&rows](const Field& column) {
    return std::ranges::all_of(rows, [&column](const ordered_json& row) {
      const auto value = row.find(column.name);
      return value == row.end() || goes_without_saying(*value, column.how);
    });
  });
  return columns;
}

std::string cell(const Field& column, const ordered_json& row) {
  const auto value = row.find(column.name);
  if (value == row.end() || *value == false) {
    return std::string(kNone);
  }
  if (value->is_null()) {
    return "unknown";
  }
  return *value == true ? column.name : value_words(*value);
}

std::string table(const Field& field, const ordered_json& rows) {
  const std::vector<Field> columns = columns_of(field, rows);
  std::string text;
  for (const Field& column : columns) {
    text += (text.empty() ? "" : " ") + column.name;
  }
  text += '\n';
  for (const ordered_json& row : rows) {
    std::string line;
    for (const Field& column : columns) {
      line += (line.empty() ? "" : " ") + cell(column, row);
    }
    text += line + '\n';
  }
  return text;
}

/// Only a match begins with a digit: the lines around it are indented.
std::string matches(const ordered_json& list) {
  std::string text;
  const auto add_around = [&text](const ordered_json& item, const char* name) {
    for (const ordered_json& line : item.value(name, ordered_json::array())) {
      text += "  " + (line.is_string() ? as_one_line(line.get_ref<const std::string&>()) : json_words(line)) +
              '\n';
    }
  };
  for (const ordered_json& item : list) {
    const bool has_context = item.contains("before") || item.contains("after");
    text += has_context && !text.empty() ? "--\n" : "";
    add_around(item, "before");
    const ordered_json line = item.value("line", ordered_json(""));
    text += json_words(item.value("byte", ordered_json())) + ": " +
            (line.is_string() ? as_one_line(line.get_ref<const std::string&>()) : json_words(line)) + '\n';
    add_around(item, "after");
  }
  return text;
}

bool is_objects(const ordered_json& list) {
  return std::ranges::all_of(list, [](const ordered_json& item) { return item.is_object(); });
}

}  // namespace

std::string as_one_line(std::string_view text) {
  std::string line(text);
  std::ranges::replace_if(line, [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return line;
}

std::string value_words(const ordered_json& value) {
  return value.is_string() && is_plain_word(value.get_ref<const std::string&>()) ? value.get<std::string>()
                                                                                 : json_words(value);
}

bool goes_without_saying(const ordered_json& value, const InText& how) {
  if (how.plain == InText::kNever || how.plain == InText::kAlways) {
    return how.plain == InText::kNever;
  }
  const bool is_empty = value.is_null() ||
                        (value.is_string() && value.get_ref<const std::string&>().empty()) ||
                        (value.is_structured() && value.empty());
  const bool is_plain = !how.plain.empty() && value_words(value) == how.plain;
  return is_empty || is_plain || (value == false && how.if_false.empty());
}

std::string field_words(const Field& field, const ordered_json& value) {
  if (value.is_boolean()) {
    const bool is_true = value.get<bool>();
    const std::string name(field.how.words.empty() ? field.name : field.how.words);
    return is_true ? name : field.how.if_false.empty() ? "not " + name : std::string(field.how.if_false);
  }
  if (value.is_null()) {
    return field.name + " unknown";
  }
  if (value.is_object()) {
    return field.name + " " + object_words(field, value);
  }
  if (value.is_array()) {
    return field.name + ": " + objects_words(field, value);
  }
  std::string words(field.how.words.empty() ? field.name + " #" : std::string(field.how.words));
  const std::size_t place = words.find('#');
  return place == std::string::npos ? words : words.replace(place, 1, value_words(value));
}

Field field_named(const std::vector<Field>& fields, std::string_view name) {
  const auto found = std::ranges::find(fields, name, &Field::name);
  if (found != fields.end()) {
    return *found;
  }
  Field unknown;
  unknown.name = name;
  return unknown;
}

std::string list_lines(const Field& field, const ordered_json& list) {
  if (field.how.as_lines && is_objects(list)) {
    return matches(list);
  }
  if (is_objects(list)) {
    return table(field, list);
  }
  std::string text;
  for (const ordered_json& item : list) {
    text += value_words(item) + '\n';
  }
  return text;
}

}  // namespace terminally
