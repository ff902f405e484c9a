// Compares the types of a far tool's result with the tool's schema.
#include "toolkit/far_schema.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>

#include "toolkit/results_json.hpp"

namespace terminally {
namespace {

using nlohmann::ordered_json;

bool is_of_type(std::string_view type, const ordered_json& value, bool counts) {
  return (type == "string" && value.is_string()) || (type == "boolean" && value.is_boolean()) ||
         (type == "integer" && value.is_number_integer() && !(counts && value < 0)) ||
         (type == "array" && value.is_array()) || (type == "object" && value.is_object()) ||
         (type == "null" && value.is_null());
}

std::string misfit_in(const ordered_json& schema, const ordered_json& value, const std::string& name);

std::string misfit_within(const ordered_json& schema, const ordered_json& value, const std::string& name) {
  std::string wrong;
  if (const auto items = schema.find("items"); items != schema.end() && value.is_array()) {
    for (auto item = value.begin(); wrong.empty() && item != value.end(); ++item) {
      wrong = misfit_in(*items, *item, name);
    }
  }
  if (const auto fields = schema.find("properties"); fields != schema.end() && value.is_object()) {
    for (auto field = fields->begin(); wrong.empty() && field != fields->end(); ++field) {
      const auto given = value.find(field.key());
      wrong = given == value.end() ? "" : misfit_in(*field, *given, field.key());
    }
  }
  return wrong;
}

/// A schema is one that ResultSchema writes.
std::string misfit_in(const ordered_json& schema, const ordered_json& value, const std::string& name) {
  if (const auto any = schema.find("anyOf"); any != schema.end()) {
    const auto fits = [&](const ordered_json& one) { return misfit_in(one, value, name).empty(); };
    return std::ranges::any_of(*any, fits) ? "" : name;
  }
  const auto& type = schema.at("type").get_ref<const std::string&>();
  return is_of_type(type, value, schema.contains("minimum")) ? misfit_within(schema, value, name) : name;
}

/// Written once for each tool.
const ordered_json& schema_of(const Tool& tool) {
  static std::map<void (*)(ResultVisitor&), ordered_json> schemas;
  const auto [found, is_new] = schemas.try_emplace(tool.describe_result);
  if (is_new) {
    ResultSchema schema;
    tool.describe_result(schema);
    schema.add_notes();
    found->second = schema.schema();
  }
  return found->second;
}

}  // namespace

std::string misfit(const Tool& tool, const ordered_json& result) {
  return misfit_in(schema_of(tool), result, "structuredContent");
}

}  // namespace terminally
