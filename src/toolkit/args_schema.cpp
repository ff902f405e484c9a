// Writes the JSON Schema of a tool's arguments.
#include <nlohmann/json.hpp>

#include "toolkit/args.hpp"

namespace terminally {

using nlohmann::ordered_json;

namespace {

// The schema has only keywords that every provider of models takes, as one tool that is refused makes the
// whole list unusable. So a default is said in words, and the length of a text is not said at all. To save
// tokens, what a model takes for granted is left out: a given text is not empty; a number is 0 by default, a
// choice the first of its names, a flag off, unless its description begins with "False". The reader enforces
// all rules.

ordered_json empty_object() {
  ordered_json schema;
  schema["type"] = "object";
  schema["properties"] = ordered_json::object();
  return schema;
}

/// Appends the default to a description, which may be empty.
void add_default(ordered_json& property, std::string_view value) {
  std::string text = property["description"];
  text.append(text.empty() ? "" : " ").append("Default: ").append(value);
  property["description"] = text.append(value.ends_with('.') ? "" : ".");
}

}  // namespace

ArgsSchema::ArgsSchema() : schema_(std::make_unique<ordered_json>(empty_object())) {}
ArgsSchema::~ArgsSchema() = default;

ordered_json& ArgsSchema::add(Text name, Need need, Text type, Text description) {
  if (need == Need::required) {
    (*schema_)["required"].push_back(name);
  }
  ordered_json& property = (*schema_)["properties"][std::string(name)];
  property["type"] = type;
  property["description"] = description;
  return property;
}

void ArgsSchema::tab(Text name, WindowId& /*value*/, Text description) {
  add(name, Need::required, "string", description);
}

void ArgsSchema::tab(Text name, std::optional<WindowId>& /*value*/, Text description) {
  add(name, Need::optional, "string", description);
}

void ArgsSchema::one_of_tabs(Text name, WindowId& /*value*/, Text description, Text of_list) {
  add(name, Need::optional, "string", description);
  ordered_json& several = add(kSeveralTabs, Need::optional, "array", of_list);
  several["items"]["type"] = "string";
  several["minItems"] = 1;
  several["maxItems"] = kMostTabsAtOnce;
}

void ArgsSchema::text(Text name, Need need, std::string& value, Range /*bytes*/, Text description) {
  ordered_json& property = add(name, need, "string", description);
  if (!value.empty()) {
    add_default(property, value);
  }
}

void ArgsSchema::content(Text name, std::string& /*value*/, std::uint64_t /*most_bytes*/, Text description) {
  add(name, Need::required, "string", description);
}

void ArgsSchema::integer(Text name, Need need, std::uint64_t& value, Range range, Text description) {
  ordered_json& property = add(name, need, "integer", description);
  if (need == Need::optional && value != 0) {
    add_default(property, std::to_string(value));
  }
  property["minimum"] = range.min;
  property["maximum"] = range.max;
}

void ArgsSchema::integer(Text name, std::optional<std::uint64_t>& /*value*/, Range range, Text description) {
  ordered_json& property = add(name, Need::optional, "integer", description);
  property["minimum"] = range.min;
  property["maximum"] = range.max;
}

void ArgsSchema::flag(Text name, bool& /*value*/, Text description) {
  add(name, Need::optional, "boolean", description);
}

void ArgsSchema::flag(Text name, std::optional<bool>& /*value*/, Text description) {
  add(name, Need::optional, "boolean", description);
}

void ArgsSchema::choice(Text name, std::size_t& value, const Names& names, Text description) {
  ordered_json& property = add(name, Need::optional, "string", description);
  property["enum"] = names;
  if (value != 0) {
    add_default(property, names.at(value));
  }
}

void ArgsSchema::choice(Text name, Need need, std::optional<std::size_t>& /*value*/, const Names& names,
                        Text description) {
  add(name, need, "string", description)["enum"] = names;
}

void ArgsSchema::text_map(Text name, std::map<std::string, std::string>& /*value*/, Text description) {
  ordered_json& property = add(name, Need::optional, "object", description);
  property["properties"] = ordered_json::object();
  property["additionalProperties"]["type"] = "string";
}

void ArgsSchema::texts(Text name, std::vector<std::string>& /*value*/, std::size_t most, Text description) {
  ordered_json& property = add(name, Need::required, "array", description);
  property["items"]["type"] = "string";
  property["minItems"] = 1;
  property["maxItems"] = most;
}

void ArgsSchema::finish() {
  (*schema_)["additionalProperties"] = false;
}

}  // namespace terminally
