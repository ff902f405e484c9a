// Finds the statements of a TOML text: strings, comments and brackets are understood, values are not.
#include "setup/toml_text.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/error.hpp"

namespace terminally {
namespace {

using nlohmann::ordered_json;

/// Behind the string that begins at `at`; npos where it has no end.
std::size_t end_of_toml_string(std::string_view text, std::size_t at) {
  const char quote = text[at];
  const std::string three(3, quote);
  const bool is_long = text.substr(at).starts_with(three);
  const std::size_t width = is_long ? 3 : 1;
  for (at += width; at < text.size(); ++at) {
    if (is_long ? text.substr(at).starts_with(three) : text[at] == quote) {
      at += width;
      while (is_long && at < text.size() && text[at] == quote) {
        ++at;  // one or two quotes of its own at its end
      }
      return at;
    }
    if (!is_long && text[at] == '\n') {
      break;
    }
    at += quote == '"' && text[at] == '\\' ? 1 : 0;
  }
  return std::string_view::npos;
}

class TomlScanner {
 public:
  explicit TomlScanner(std::string_view text) : text_(text) {
    if (text_.starts_with("\xEF\xBB\xBF")) {
      at_ = 3;
    }
  }

  std::vector<TomlStatement> statements() {
    std::vector<TomlStatement> found;
    ConfigPath table;
    while (at_ < text_.size()) {
      const std::size_t begin = at_;
      skip(" \t");
      if (is_at("#") || is_at("\n") || is_at("\r") || at_ == text_.size()) {
        skip_line();
        continue;
      }
      TomlStatement statement = is_at("[") ? header() : key_and_value(table);
      statement.begin = begin;
      skip(" \t");
      if (at_ < text_.size() && !is_at("#") && !is_at("\n") && !is_at("\r")) {
        fail();
      }
      skip_line();
      statement.end = at_;
      table = statement.is_header ? statement.path : table;
      found.push_back(std::move(statement));
    }
    return found;
  }

 private:
  [[nodiscard]] bool is_at(std::string_view token) const { return text_.substr(at_).starts_with(token); }

  void skip(std::string_view characters) {
    at_ = std::min(text_.find_first_not_of(characters, at_), text_.size());
  }

  void skip_line() {
    const std::size_t end = text_.find('\n', at_);
    at_ = end == std::string_view::npos ? text_.size() : end + 1;
  }

  [[noreturn]] void fail() const {
    throw Error(ErrorCode::invalid_argument, "line " + std::to_string(line_at(text_, at_)) + " is not TOML");
  }

  void take(std::string_view token) {
    if (!is_at(token)) {
      fail();
    }
    at_ += token.size();
  }

  TomlStatement header() {
    TomlStatement statement;
    statement.is_header = true;
    statement.is_array = is_at("[[");
    take(statement.is_array ? "[[" : "[");
    statement.path = key();
    take(statement.is_array ? "]]" : "]");
    return statement;
  }

  TomlStatement key_and_value(const ConfigPath& table) {
    TomlStatement statement;
    statement.path = table;
    const ConfigPath own = key();
    statement.path.insert(statement.path.end(), own.begin(), own.end());
    take("=");
    skip(" \t");
    statement.value = at_;
    skip_value();
    statement.value_end = at_;
    if (statement.value == at_) {
      fail();
    }
    return statement;
  }

  ConfigPath key() {
    ConfigPath names;
    do {
      at_ += names.empty() ? 0 : 1;  // the dot
      skip(" \t");
      names.push_back(name());
      skip(" \t");
    } while (is_at("."));
    return names;
  }

  std::string name() {
    const std::size_t begin = at_;
    if (is_at("\"") || is_at("'")) {
      skip_string();
      const ordered_json value = toml_value(text_.substr(begin, at_ - begin));
      return value.is_string() ? value.get<std::string>() : std::string();
    }
    skip("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-");
    if (at_ == begin) {
      fail();
    }
    return std::string(text_.substr(begin, at_ - begin));
  }

  void skip_string() {
    const std::size_t end = end_of_toml_string(text_, at_);
    if (end == std::string_view::npos) {
      fail();
    }
    at_ = end;
  }

  /// To the end of the line or the comment behind it. Within brackets, lines end nothing.
  void skip_value() {
    std::size_t depth = 0;
    std::size_t end = at_;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (depth == 0 && (c == '\n' || c == '#')) {
        break;
      }
      if (c == '#') {
        skip_line();
        continue;
      }
      if (c == '"' || c == '\'') {
        skip_string();
      } else {
        depth += c == '[' || c == '{' ? 1 : 0;
        if (c == ']' || c == '}') {
          if (depth == 0) {
            fail();
          }
          --depth;
        }
        ++at_;
      }
      end = c == ' ' || c == '\t' || c == '\r' ? end : at_;
    }
    if (depth > 0) {
      fail();
    }
    at_ = end;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

/// A basic string is a JSON string, but for escapes that JSON does not have.
ordered_json toml_string(std::string_view text) {
  if (text.starts_with("'''") || text.starts_with("\"\"\"") || text.size() < 2) {
    return nullptr;
  }
  if (text.front() == '\'') {
    return std::string(text.substr(1, text.size() - 2));
  }
  const ordered_json value = ordered_json::parse(text, nullptr, false);
  return value.is_string() ? value : ordered_json();
}

/// null unless all elements are strings.
ordered_json toml_strings(std::string_view array) {
  ordered_json elements = ordered_json::array();
  for (std::size_t at = 1; at + 1 < array.size();) {
    if (array[at] == '#') {
      at = std::min(array.find('\n', at), array.size());
    } else if (std::string_view(" \t\r\n,").find(array[at]) != std::string_view::npos) {
      ++at;
    } else if (array[at] == '"' || array[at] == '\'') {
      const std::size_t end = end_of_toml_string(array, at);
      elements.push_back(toml_string(array.substr(at, end - at)));
      at = end;
    } else {
      return nullptr;
    }
  }
  return elements;
}

}  // namespace

std::vector<TomlStatement> toml_statements(std::string_view text) {
  return TomlScanner(text).statements();
}

ordered_json toml_value(std::string_view value) {
  if (value == "true" || value == "false") {
    return value == "true";
  }
  if (value.starts_with('"') || value.starts_with('\'')) {
    return toml_string(value);
  }
  return value.starts_with('[') ? toml_strings(value) : ordered_json();
}

}  // namespace terminally
