// Adds, changes and removes one table of a TOML text, and changes no other byte of it.
#include "setup/toml_edit.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "setup/toml_text.hpp"

namespace terminally {
namespace {

using nlohmann::ordered_json;

bool is_within(const TomlStatement& statement, const ConfigPath& table) {
  return statement.path.size() >= table.size() &&
         std::equal(table.begin(), table.end(), statement.path.begin());
}

std::string dotted(const ConfigPath& path) {
  std::string text;
  for (const std::string& name : path) {
    text += (text.empty() ? "" : ".") + name;
  }
  return text;
}

[[noreturn]] void refuse_form(std::string_view text, const TomlStatement& statement, const ConfigPath& table,
                              const std::string& form) {
  throw Error(ErrorCode::invalid_argument, "line " + std::to_string(line_at(text, statement.begin)) +
                                               " has " + dotted(statement.path) + " " + form +
                                               ", and not as [" + dotted(table) + "]; change that line");
}

/// Refuses forms to which nothing can be added: the text would be no TOML any more.
void check_forms(std::string_view text, const std::vector<TomlStatement>& statements,
                 const ConfigPath& table) {
  bool is_there = false;
  for (const TomlStatement& statement : statements) {
    const bool leads_there = statement.path.size() <= table.size() &&
                             std::equal(statement.path.begin(), statement.path.end(), table.begin());
    if (statement.is_array && leads_there) {
      refuse_form(text, statement, table, "as an array of tables");
    }
    if (!statement.is_header && leads_there) {
      refuse_form(text, statement, table, "on one line");
    }
    if (statement.is_header && statement.path == table) {
      if (is_there) {
        refuse_form(text, statement, table, "for the second time");
      }
      is_there = true;
    }
  }
}

/// Refuses to take away what setup never writes.
void check_forms_to_remove(std::string_view text, const std::vector<TomlStatement>& statements,
                           const ConfigPath& table) {
  for (const TomlStatement& statement : statements) {
    if (statement.path == table && (statement.is_array || !statement.is_header)) {
      refuse_form(text, statement, table, statement.is_array ? "as an array of tables" : "on one line");
    }
  }
}

/// A TOML basic string and a JSON string are written alike, and so are arrays of them and booleans.
std::string toml_line(const std::string& key, const ordered_json& value) {
  std::string text = value.dump();
  if (value.is_array()) {
    text = "[";
    for (const ordered_json& item : value) {
      text += (text.size() == 1 ? "" : ", ") + item.dump();
    }
    text += "]";
  }
  return key + " = " + text;
}

const TomlStatement* find_statement(const std::vector<TomlStatement>& statements, const ConfigPath& path,
                                    bool is_header) {
  const auto found = std::ranges::find_if(statements, [&](const TomlStatement& statement) {
    return statement.is_header == is_header && statement.path == path;
  });
  return found == statements.end() ? nullptr : &*found;
}

/// Replaces the value of the field where it stands, or adds a line behind the header.
std::string with_field(const std::string& text, const ConfigPath& table, const std::string& key,
                       const ordered_json& value) {
  const std::vector<TomlStatement> statements = toml_statements(text);
  ConfigPath path = table;
  path.push_back(key);
  if (const TomlStatement* field = find_statement(statements, path, false)) {
    const std::size_t length = field->value_end - field->value;
    if (toml_value(std::string_view(text).substr(field->value, length)) == value) {
      return text;
    }
    const std::string line = toml_line("", value);
    return text.substr(0, field->value) + line.substr(line.find_first_not_of(" =")) +
           text.substr(field->value_end);
  }
  const TomlStatement* header = find_statement(statements, table, true);
  if (header == nullptr) {
    throw Error(ErrorCode::invalid_argument, "it has fields of " + dotted(table) + " without a line [" +
                                                 dotted(table) + "]; write them below such a line");
  }
  const bool is_ended = text[header->end - 1] == '\n';
  const std::string line_end = line_end_of(text);
  std::string result = text;
  result.insert(header->end, is_ended ? toml_line(key, value) + line_end : line_end + toml_line(key, value));
  return result;
}

}  // namespace

std::optional<ordered_json> toml_table(const ConfigText& text, const ConfigPath& table) {
  const std::string whole = text.value_or("");
  std::optional<ordered_json> found;
  for (const TomlStatement& statement : toml_statements(whole)) {
    if (!is_within(statement, table)) {
      continue;
    }
    found = found ? std::move(found) : ordered_json::object();
    ordered_json* place = &*found;
    for (std::size_t i = table.size(); i < statement.path.size() && place->is_object(); ++i) {
      place = &(*place)[statement.path[i]];
      if (place->is_null() && (i + 1 < statement.path.size() || statement.is_header)) {
        *place = ordered_json::object();
      }
    }
    if (!statement.is_header) {
      *place =
          toml_value(std::string_view(whole).substr(statement.value, statement.value_end - statement.value));
    }
  }
  return found;
}

std::string with_toml_fields(const ConfigText& text, const ConfigPath& table, const ordered_json& fields) {
  const std::string whole = text.value_or("");
  const std::vector<TomlStatement> statements = toml_statements(whole);
  check_forms(whole, statements, table);
  const bool has_fields = std::ranges::any_of(statements, [&](const TomlStatement& statement) {
    return !statement.is_header && statement.path.size() == table.size() + 1 && is_within(statement, table);
  });
  if (find_statement(statements, table, true) == nullptr && !has_fields) {
    std::string block = "[" + dotted(table) + "]";
    for (const auto& [key, value] : fields.items()) {
      block += "\n" + toml_line(key, value);
    }
    return with_block(text, block);
  }
  std::string result = whole;
  for (const auto& [key, value] : fields.items()) {
    result = with_field(result, table, key, value);
  }
  return result;
}

/// From the last section to the first, so that the offsets of those before stay right.
ConfigText without_toml_table(const ConfigText& text, const ConfigPath& table) {
  const std::vector<TomlStatement> statements = toml_statements(text.value_or(""));
  check_forms_to_remove(text.value_or(""), statements, table);
  ConfigText result = text;
  for (std::size_t i = statements.size(); i-- > 0;) {
    std::size_t first = i;
    if (!is_within(statements[i], table)) {
      continue;
    }
    while (!statements[first].is_header && first > 0 && is_within(statements[first - 1], table)) {
      --first;
    }
    result = without_block(*result, statements[first].begin, statements[i].end);
    i = first;
    if (!result) {
      break;
    }
  }
  return result;
}

}  // namespace terminally
