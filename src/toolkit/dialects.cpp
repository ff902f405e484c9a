// Translates what clients and models write for a tool's arguments into what the tool's schema says.
#include "toolkit/dialects.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace terminally {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

bool is_added_by_clients(std::string_view name) {
  constexpr std::array<std::string_view, 5> kAdded = {"_meta", "action", "chatInput", "sessionId",
                                                      "toolCallId"};
  return std::ranges::find(kAdded, name) != kAdded.end();
}

bool has_type(const json& value, std::string_view type) {
  return (type == "integer" && value.is_number()) || (type == "boolean" && value.is_boolean()) ||
         (type == "array" && value.is_array()) || (type == "object" && value.is_object());
}

/// The value of that type whose JSON `text` is exactly, without blanks around it; null: there is none.
json meant_by(const std::string& text, std::string_view type) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const bool is_bare = !text.empty() && kBlanks.find(text.front()) == std::string_view::npos &&
                       kBlanks.find(text.back()) == std::string_view::npos;
  json value = is_bare && type != "string" ? json::parse(text, nullptr, false) : json();
  return has_type(value, type) ? value : json();
}

/// A number without a fraction is an integer, as JSON Schema has it: 45000.0.
json without_fraction(json value) {
  constexpr double kExact = 9'007'199'254'740'992;  // 2^53
  const double number = value.is_number_float() ? value.get<double>() : kExact;
  if (number != std::trunc(number) || std::abs(number) >= kExact) {
    return value;
  }
  return number < 0 ? json(static_cast<std::int64_t>(number)) : json(static_cast<std::uint64_t>(number));
}

}  // namespace

std::shared_ptr<const json> in_our_dialect(const Tool& tool, std::shared_ptr<const json> arguments) {
  ArgsSchema writer;
  tool.describe_args(writer);
  const ordered_json& properties = writer.schema()["properties"];
  const ordered_json required = writer.schema().value("required", ordered_json::array());
  std::vector<std::string> left_out;
  json meant = json::object();
  for (const auto& [name, value] : arguments->items()) {
    const auto known = properties.find(name);
    if (value.is_null() ? std::find(required.begin(), required.end(), name) == required.end()
                        : known == properties.end() && is_added_by_clients(name)) {
      left_out.push_back(name);
    } else if (known != properties.end() && value.is_string()) {
      json of_text = meant_by(value.get_ref<const std::string&>(), known->at("type").get<std::string>());
      if (!of_text.is_null()) {
        meant[name] = without_fraction(std::move(of_text));
      }
    } else if (known != properties.end() && value.is_number_float()) {
      meant[name] = without_fraction(value);
    }
  }
  if (left_out.empty() && meant.empty()) {
    return arguments;
  }
  json ours = *arguments;
  for (const std::string& name : left_out) {
    ours.erase(name);
  }
  ours.update(meant);
  return std::make_shared<const json>(std::move(ours));
}

}  // namespace terminally
