// Finds the parts of a JSON text that has comments and trailing commas.
#include "setup/json_text.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "setup/config_text.hpp"

namespace terminally {
namespace {

constexpr std::string_view kSpace = " \t\r\n";
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

/// Behind the string that begins at `at`; the end of the text where it has no end.
std::size_t end_of_string(std::string_view text, std::size_t at) {
  for (++at; at < text.size() && text[at] != '"'; ++at) {
    at += text[at] == '\\' ? 1 : 0;
  }
  return std::min(at + 1, text.size());
}

/// Behind the comment that begins at `at`; `at` where there is none.
std::size_t end_of_comment(std::string_view text, std::size_t at) {
  if (text.substr(at, 2) == "//") {
    return std::min(text.find('\n', at), text.size());
  }
  if (text.substr(at, 2) != "/*") {
    return at;
  }
  const std::size_t end = text.find("*/", at + 2);
  return end == std::string_view::npos ? at : end + 2;
}

std::string without_comments(std::string text) {
  if (text.starts_with(kByteOrderMark)) {
    text.replace(0, kByteOrderMark.size(), kByteOrderMark.size(), ' ');
  }
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == '"') {
      at = end_of_string(text, at);
    } else if (const std::size_t end = end_of_comment(text, at); end != at) {
      std::replace_if(
          text.begin() + static_cast<std::ptrdiff_t>(at), text.begin() + static_cast<std::ptrdiff_t>(end),
          [](char c) { return c != '\n'; }, ' ');
      at = end;
    } else {
      ++at;
    }
  }
  return text;
}

/// A comma without a value before it stays: that is an error for everybody.
std::string without_trailing_commas(std::string text) {
  char before_comma = '{';
  char last = '{';
  std::size_t comma = 0;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    const bool is_end = c == '}' || c == ']';
    if (is_end && last == ',' && std::string_view("{[,:").find(before_comma) == std::string_view::npos) {
      text[comma] = ' ';
    }
    if (c == ',') {
      before_comma = last;
      comma = at;
    }
    last = kSpace.find(c) == std::string_view::npos ? c : last;
    at = c == '"' ? end_of_string(text, at) : at + 1;
  }
  return text;
}

}  // namespace

JsonText::JsonText(std::string text)
    : text_(std::move(text)), plain_(without_comments(text_)), strict_(without_trailing_commas(plain_)) {
  if (!root()) {
    return;
  }
  try {
    [[maybe_unused]] const nlohmann::ordered_json checked = nlohmann::ordered_json::parse(strict_);
  } catch (const nlohmann::ordered_json::parse_error& error) {
    throw Error(ErrorCode::invalid_argument,
                "line " + std::to_string(line_at(text_, error.byte > 0 ? error.byte - 1 : 0)) +
                    " is not JSON, not even with comments and trailing commas");
  }
}

std::optional<std::size_t> JsonText::root() const {
  const std::size_t at = skip_space(0);
  return at < plain_.size() ? std::optional(at) : std::nullopt;
}

JsonContainer JsonText::container(std::size_t open) const {
  JsonContainer found;
  found.open = open;
  const bool is_object = plain_[open] == '{';
  const char close = is_object ? '}' : ']';
  std::size_t at = skip_space(open + 1);
  while (plain_[at] != close) {
    JsonItem item;
    item.begin = at;
    if (is_object) {
      const std::size_t end = end_of_string(plain_, at);
      item.key = value(at, end).get<std::string>();
      at = skip_space(skip_space(end) + 1);  // behind the colon
    }
    item.value = at;
    item.end = end_of_value(at);
    at = skip_space(item.end);
    if (plain_[at] == ',') {
      item.comma = at;
      at = skip_space(at + 1);
    }
    found.items.push_back(std::move(item));
  }
  found.close = at;
  return found;
}

nlohmann::ordered_json JsonText::value(std::size_t begin, std::size_t end) const {
  return nlohmann::ordered_json::parse(strict_.substr(begin, end - begin));
}

std::size_t JsonText::skip_space(std::size_t at) const {
  return std::min(plain_.find_first_not_of(kSpace, at), plain_.size());
}

std::size_t JsonText::end_of_value(std::size_t at) const {
  if (plain_[at] != '{' && plain_[at] != '[') {
    return plain_[at] == '"' ? end_of_string(plain_, at)
                             : std::min(plain_.find_first_of(" \t\r\n,]}", at), plain_.size());
  }
  for (std::size_t depth = 0; at < plain_.size();) {
    const char c = plain_[at];
    at = c == '"' ? end_of_string(plain_, at) : at + 1;
    depth += c == '{' || c == '[' ? 1 : 0;
    depth -= c == '}' || c == ']' ? 1 : 0;
    if (depth == 0) {
      break;
    }
  }
  return at;
}

}  // namespace terminally
