// Writes the JSON Schema of a tool's arguments.
#include <nlohmann/json.hpp>

#include "toolkit/args.hpp"

namespace terminally {

using nlohmann::ordered_json;

namespace {

// The schema leaves out rules that tell a model nothing, to save tokens; the reader enforces them all the
// same. These are limits that nobody reaches, that a given text is not empty, that a flag is off by default,
// and that there are no other arguments.
constexpr std::uint64_t kLongText = 1'000;

}  // namespace

ArgsSchema::ArgsSchema() : schema_(std::make_unique<ordered_json>()) {
  (*schema_)["type"] = "object";
}
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

void ArgsSchema::text(Text name, Need need, std::string& value, Range bytes, Text description) {
  ordered_json& property = add(name, need, "string", description);
  if (!value.empty()) {
    property["default"] = value;
  }
  if (bytes.min > 1) {
    property["minLength"] = bytes.min;
  }
  if (bytes.max <= kLongText) {
    property["maxLength"] = bytes.max;  // counts characters, of which no text has more than bytes
  }
}

void ArgsSchema::content(Text name, std::string& /*value*/, std::uint64_t /*most_bytes*/, Text description) {
  add(name, Need::required, "string", description);
}

void ArgsSchema::integer(Text name, Need need, std::uint64_t& value, Range range, Text description) {
  ordered_json& property = add(name, need, "integer", description);
  if (need == Need::optional) {
    property["default"] = value;
  }
  property["minimum"] = range.min;
  property["maximum"] = range.max;
}

void ArgsSchema::integer(Text name, std::optional<std::uint64_t>& /*value*/, Range range, Text description) {
  ordered_json& property = add(name, Need::optional, "integer", description);
  property["minimum"] = range.min;
  property["maximum"] = range.max;
}

void ArgsSchema::flag(Text name, bool& value, Text description) {
  ordered_json& property = add(name, Need::optional, "boolean", description);
  if (value) {
    property["default"] = value;
  }
}

void ArgsSchema::flag(Text name, std::optional<bool>& /*value*/, Text description) {
  add(name, Need::optional, "boolean", description);
}

void ArgsSchema::choice(Text name, std::size_t& value, const Names& names, Text description) {
  ordered_json& property = add(name, Need::optional, "string", description);
  property["enum"] = names;
  property["default"] = names.at(value);
}

void ArgsSchema::choice(Text name, Need need, std::optional<std::size_t>& /*value*/, const Names& names,
                        Text description) {
  add(name, need, "string", description)["enum"] = names;
}

void ArgsSchema::text_map(Text name, std::map<std::string, std::string>& /*value*/, Text description) {
  add(name, Need::optional, "object", description)["additionalProperties"]["type"] = "string";
}

void ArgsSchema::texts(Text name, std::vector<std::string>& /*value*/, std::size_t most, Text description) {
  ordered_json& property = add(name, Need::required, "array", description);
  property["items"]["type"] = "string";
  property["minItems"] = 1;
  property["maxItems"] = most;
}

void ArgsSchema::finish() {
  if (!schema_->contains("properties")) {
    (*schema_)["additionalProperties"] = false;  // as the protocol recommends for a tool without arguments
  }
}

}  // namespace terminally
