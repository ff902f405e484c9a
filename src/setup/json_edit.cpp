// Adds, replaces and removes one value of a JSON text, and changes no other byte of it.
#include "setup/json_edit.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "setup/json_text.hpp"

namespace terminally {
namespace {

using nlohmann::ordered_json;

/// How a text writes: its ends of lines, and one step of its indentation.
struct JsonStyle {
  std::string line_end = "\n";
  std::string step = "  ";
};

/// What is to be at the end of a path: the value, or an element of the array there.
struct Leaf {
  const ordered_json& value;
  bool is_element = false;
};

std::string quoted_key(const std::string& key) {
  return ordered_json(key).dump() + ": ";
}

std::string on_one_line_of_json(const ordered_json& value) {
  if (!value.is_structured() || value.empty()) {
    return value.dump();
  }
  std::string items;
  for (const auto& [key, item] : value.items()) {
    items +=
        (items.empty() ? "" : ", ") + (value.is_object() ? quoted_key(key) : "") + on_one_line_of_json(item);
  }
  return value.is_object() ? "{ " + items + " }" : "[" + items + "]";
}

/// A value that begins in a line with this indentation; without a style, on one line.
std::string written(const ordered_json& value, const std::string& indent, const JsonStyle* style) {
  if (style == nullptr || !value.is_object() || value.empty()) {
    return on_one_line_of_json(value);
  }
  const std::string inner = indent + style->step;
  std::string items;
  for (const auto& [key, item] : value.items()) {
    items += (items.empty() ? "" : ",") + style->line_end + inner + quoted_key(key);
    items += written(item, inner, style);
  }
  return "{" + items + style->line_end + indent + "}";
}

/// The value at place `depth` of the path: the leaf, or a new container with what follows.
std::string written_from(const ConfigPath& path, std::size_t depth, const Leaf& leaf,
                         const std::string& indent, const JsonStyle* style) {
  const bool is_last = depth == path.size();
  if (is_last && !leaf.is_element) {
    return written(leaf.value, indent, style);
  }
  const std::string inner = style == nullptr ? "" : indent + style->step;
  const std::string item = is_last
                               ? on_one_line_of_json(leaf.value)
                               : quoted_key(path[depth]) + written_from(path, depth + 1, leaf, inner, style);
  const std::string before = style == nullptr ? " " : style->line_end + inner;
  const std::string after = style == nullptr ? " " : style->line_end + indent;
  return std::string(is_last ? "[" : "{") + before + item + after + (is_last ? "]" : "}");
}

/// The spaces and tabs at the beginning of the line that has `at`.
std::string indent_of(const std::string& text, std::size_t at) {
  const std::size_t line = at == 0 ? 0 : text.rfind('\n', at - 1) + 1;  // npos + 1 is 0
  return text.substr(line, std::min(text.find_first_not_of(" \t", line), text.size()) - line);
}

bool begins_line(const std::string& text, std::size_t at) {
  const std::size_t line = at == 0 ? 0 : text.rfind('\n', at - 1) + 1;
  return line != 0 && text.find_first_not_of(" \t", line) == at;
}

JsonStyle style_of(const JsonText& json) {
  JsonStyle style;
  style.line_end = line_end_of(json.text());
  const JsonContainer root = json.container(*json.root());
  for (const JsonItem& item : root.items) {
    const std::string indent = indent_of(json.text(), item.begin);
    if (begins_line(json.text(), item.begin) && !indent.empty()) {
      style.step = indent;
      break;
    }
  }
  return style;
}

/// Behind the last byte before `at` that is no space; comments are none.
std::size_t end_of_rest(const std::string& text, std::size_t at) {
  return text.find_last_not_of(" \t\r\n", at - 1) + 1;
}

bool is_blank_between(const std::string& text, std::size_t begin, std::size_t end) {
  return is_blank(std::string_view(text).substr(begin, end - begin));
}

/// Adds an item behind the others. Where there are none, it stands right behind the bracket: a container that
/// was made for its item has a space or a line there.
std::string with_item(const JsonText& json, const JsonContainer& container, const ConfigPath& path,
                      std::size_t depth, const Leaf& leaf) {
  const std::string& text = json.text();
  const JsonStyle style = style_of(json);
  const bool is_empty = is_blank_between(text, container.open + 1, container.close);
  const bool has_lines =
      text.substr(container.open, container.close - container.open).find('\n') != std::string::npos;
  const bool on_lines = !is_empty && has_lines;
  const bool is_led = !container.items.empty() && begins_line(text, container.items.front().begin);
  const std::string indent =
      is_led ? indent_of(text, container.items.front().begin) : indent_of(text, container.open) + style.step;
  const std::string item = depth == path.size()
                               ? on_one_line_of_json(leaf.value)
                               : quoted_key(path[depth]) +
                                     written_from(path, depth + 1, leaf, indent, on_lines ? &style : nullptr);
  const std::string lead = on_lines ? style.line_end + indent : is_empty ? "" : " ";
  const std::size_t at = end_of_rest(text, container.close);
  const bool has_comma = !container.items.empty() && container.items.back().comma != JsonItem::kNone;
  std::string result = text;
  result.insert(at, lead + item + (has_comma ? "," : ""));
  if (!container.items.empty() && !has_comma) {
    result.insert(container.items.back().end, ",");
  }
  return result;
}

const JsonItem* find_member(const JsonContainer& container, const std::string& key) {
  const JsonItem* found = nullptr;
  for (const JsonItem& item : container.items) {
    if (item.key == key) {
      if (found != nullptr) {
        throw Error(ErrorCode::invalid_argument, "\"" + key + "\" is there twice; remove one of them");
      }
      found = &item;
    }
  }
  return found;
}

/// The containers on the way along a path, as far as they are there, and the item of each that leads on.
struct Way {
  std::vector<JsonContainer> containers;
  std::vector<JsonItem> items;  ///< one for each container; one less where the next key is missing
};

std::string said(const ConfigPath& path, std::size_t depth) {
  std::string text;
  for (std::size_t i = 0; i < depth; ++i) {
    text += (i == 0 ? "" : ".") + path[i];
  }
  return depth == 0 ? "the whole" : "\"" + text + "\"";
}

/// Follows the path; where `into_array`, to an element of the array at its end.
Way follow(const JsonText& json, const ConfigPath& path, const std::string* element) {
  Way way;
  std::size_t at = *json.root();
  for (std::size_t depth = 0; depth < path.size() + (element != nullptr ? 1 : 0); ++depth) {
    const bool in_array = depth == path.size();
    if (!json.is_container(at, in_array ? '[' : '{')) {
      throw Error(ErrorCode::invalid_argument,
                  said(path, depth) + (in_array ? " is no array" : " is no object"));
    }
    way.containers.push_back(json.container(at));
    const JsonContainer& container = way.containers.back();
    const auto is_element = [&](const JsonItem& item) {
      return json.value(item.value, item.end) == ordered_json(*element);
    };
    const auto found_element =
        in_array ? std::ranges::find_if(container.items, is_element) : container.items.end();
    const JsonItem* found = nullptr;
    if (in_array) {
      found = found_element == container.items.end() ? nullptr : &*found_element;
    } else {
      found = find_member(container, path[depth]);
    }
    if (found == nullptr) {
      break;
    }
    way.items.push_back(*found);
    at = found->value;
  }
  return way;
}

bool leads_to_the_end(const Way& way, const ConfigPath& path, const std::string* element) {
  return way.items.size() == path.size() + (element != nullptr ? 1 : 0);
}

/// A text without an object gets one: behind what is there, which ends no line then (see without_root).
std::string with_root(const ConfigText& text, const ConfigPath& path, const Leaf& leaf) {
  JsonStyle style;
  const std::string before = text.value_or("");
  style.line_end = line_end_of(before);
  const bool in_comment = !is_blank(before) && !before.ends_with('\n');
  return before + (in_comment ? style.line_end : "") + written_from(path, 0, leaf, "", &style) +
         (!text || in_comment ? style.line_end : "");
}

ConfigText without_root(const std::string& text, const JsonContainer& root) {
  std::string before = text.substr(0, root.open);
  const std::string after = text.substr(root.close + 1);
  if (after.empty() || !is_blank(after)) {
    return before + after;
  }
  if (before.empty()) {
    return std::nullopt;
  }
  const std::string line_end = line_end_of(text);
  return before.ends_with(line_end) ? before.substr(0, before.size() - line_end.size()) : before;
}

std::string with_leaf(const ConfigText& text, const ConfigPath& path, const Leaf& leaf,
                      const std::string* element) {
  const JsonText json(text.value_or(""));
  if (!json.root()) {
    return with_root(text, path, leaf);
  }
  const Way way = follow(json, path, element);
  if (!leads_to_the_end(way, path, element)) {
    return with_item(json, way.containers.back(), path, way.items.size(), leaf);
  }
  const JsonItem& item = way.items.back();
  if (json.value(item.value, item.end) == leaf.value) {
    return *text;
  }
  const bool on_lines = begins_line(*text, item.begin);
  const JsonStyle style = style_of(json);
  const std::string value = written(leaf.value, indent_of(*text, item.begin), on_lines ? &style : nullptr);
  return text->substr(0, item.value) + value + text->substr(item.end);
}

/// Takes away an item, the space before it, and its comma; of the last one, the comma before it.
std::string without_item(const std::string& text, const JsonContainer& container, const JsonItem& item) {
  std::string result = text;
  const std::size_t lead = end_of_rest(text, item.begin);
  if (item.comma != JsonItem::kNone) {
    result.erase(item.comma, 1);
    result.erase(lead, item.end - lead);
    return result;
  }
  result.erase(lead, item.end - lead);
  if (container.items.size() > 1) {
    result.erase(container.items[container.items.size() - 2].comma, 1);  // it is the last one
  }
  return result;
}

/// Whether the container was made for this item, as `written_from` writes it, and has nothing else.
bool is_made_for(const std::string& text, const JsonContainer& container, const JsonItem& item) {
  const std::size_t end = item.comma == JsonItem::kNone ? item.end : item.comma + 1;
  return container.items.size() == 1 && item.begin > container.open + 1 &&
         is_blank_between(text, container.open + 1, item.begin) &&
         is_blank_between(text, end, container.close) &&
         (item.comma == JsonItem::kNone || end == item.end + 1);
}

ConfigText without_leaf(const ConfigText& text, const ConfigPath& path, const std::string* element) {
  const JsonText json(text.value_or(""));
  if (!json.root()) {
    return text;
  }
  Way way = follow(json, path, element);
  if (!leads_to_the_end(way, path, element)) {
    return text;
  }
  while (is_made_for(*text, way.containers.back(), way.items.back())) {
    if (way.containers.size() == 1) {
      return without_root(*text, way.containers.front());
    }
    way.containers.pop_back();
    way.items.pop_back();
  }
  return without_item(*text, way.containers.back(), way.items.back());
}

}  // namespace

std::optional<ordered_json> json_value(const ConfigText& text, const ConfigPath& path) {
  const JsonText json(text.value_or(""));
  if (!json.root()) {
    return std::nullopt;
  }
  const Way way = follow(json, path, nullptr);
  return way.items.size() == path.size()
             ? std::optional(json.value(way.items.back().value, way.items.back().end))
             : std::nullopt;
}

std::string with_json_value(const ConfigText& text, const ConfigPath& path, const ordered_json& value) {
  return with_leaf(text, path, {value, false}, nullptr);
}

ConfigText without_json_value(const ConfigText& text, const ConfigPath& path) {
  return without_leaf(text, path, nullptr);
}

std::string with_json_element(const ConfigText& text, const ConfigPath& path, const std::string& element) {
  const ordered_json value = element;
  return with_leaf(text, path, {value, true}, &element);
}

ConfigText without_json_element(const ConfigText& text, const ConfigPath& path, const std::string& element) {
  return without_leaf(text, path, &element);
}

}  // namespace terminally
