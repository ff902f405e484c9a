// Writes results, and the schemas of results, as JSON.

#include "toolkit/results_json.hpp"

#include <nlohmann/json.hpp>
#include <utility>

#include "secrets/text_guard.hpp"

namespace terminally {

namespace {

using nlohmann::ordered_json;

/// Lets a property be null as well, by anyOf, as not every client takes a list of types.
void make_nullable(ordered_json& property, ordered_json schema) {
  ordered_json null;
  null["type"] = "null";
  property["anyOf"] = ordered_json::array({std::move(schema), std::move(null)});
}

ordered_json of_type(const char* type) {
  ordered_json schema;
  schema["type"] = type;
  return schema;
}

}  // namespace

ResultSchema::ResultSchema() : schema_(std::make_unique<ordered_json>()) {
  (*schema_)["type"] = "object";
  (*schema_)["properties"] = ordered_json::object();
}
ResultSchema::~ResultSchema() = default;

ordered_json& ResultSchema::add(Text name, Text description, Show show) {
  if (show == Show::always) {
    (*schema_)["required"].push_back(name);
  }
  ordered_json& property = (*schema_)["properties"][std::string(name)];
  property["description"] = description;
  return property;
}

void ResultSchema::text(Text name, Text /*value*/, Text description, Show show) {
  add(name, description, show)["type"] = "string";
}

void ResultSchema::add_notes() {
  if (!(*schema_)["properties"].contains("notes")) {
    texts("notes", {}, "Remarks on this result.", Show::no);
  }
}

void ResultSchema::log_text(Text name, Text value, Text description, Show show) {
  text(name, value, description, show);
}

void ResultSchema::count(Text name, std::uint64_t /*value*/, Text description, Show show) {
  ordered_json& property = add(name, description, show);
  property["type"] = "integer";
  property["minimum"] = 0;
}

void ResultSchema::flag(Text name, bool /*value*/, Text description, Show show) {
  add(name, description, show)["type"] = "boolean";
}

void ResultSchema::flag_or_null(Text name, std::optional<bool> /*value*/, Text description, Show show) {
  make_nullable(add(name, description, show), of_type("boolean"));
}

void ResultSchema::integer_or_null(Text name, std::optional<std::int64_t> /*value*/, Text description,
                                   Show show) {
  make_nullable(add(name, description, show), of_type("integer"));
}

void ResultSchema::text_or_null(Text name, std::optional<Text> /*value*/, Text description, Show show) {
  make_nullable(add(name, description, show), of_type("string"));
}

void ResultSchema::choice(Text name, Text /*value*/, const Names& names, Text description, Show show) {
  ordered_json& property = add(name, description, show);
  property["type"] = "string";
  property["enum"] = names;
}

void ResultSchema::texts(Text name, const std::vector<std::string>& /*values*/, Text description, Show show) {
  ordered_json& property = add(name, description, show);
  property["type"] = "array";
  property["items"]["type"] = "string";
}

void ResultSchema::objects(Text name, const std::vector<Item>& /*items*/, const Item& sample,
                           Text description, Show show) {
  ResultSchema item;
  sample(item);
  ordered_json& property = add(name, description, show);
  property["type"] = "array";
  property["items"] = *item.schema_;
}

void ResultSchema::object(Text name, const Item& item, Text description, Show show) {
  ResultSchema object;
  item(object);
  ordered_json& property = add(name, description, show);
  property.update((*object.schema_));
}

void ResultSchema::object_or_null(Text name, const Item& /*item*/, const Item& sample, Text description,
                                  Show show) {
  ResultSchema object;
  sample(object);
  make_nullable(add(name, description, show), std::move(*object.schema_));
}

ResultWriter::ResultWriter(TextGuard* guard)
    : guard_(guard), result_(std::make_unique<ordered_json>(ordered_json::object())) {}
ResultWriter::~ResultWriter() = default;

void ResultWriter::put(Text name, ordered_json value, Show show) {
  if (show != Show::no) {
    (*result_)[std::string(name)] = std::move(value);
  }
}

std::string ResultWriter::guarded(Text value, Show show) const {
  return guard_ != nullptr && show != Show::no ? guard_->text(value) : std::string(value);
}

void ResultWriter::text(Text name, Text value, Text /*description*/, Show show) {
  put(name, guarded(value, show), show);
}

void ResultWriter::log_text(Text name, Text value, Text /*description*/, Show show) {
  put(name, value, show);
}

void ResultWriter::count(Text name, std::uint64_t value, Text /*description*/, Show show) {
  put(name, value, show);
}

void ResultWriter::flag(Text name, bool value, Text /*description*/, Show show) {
  put(name, value, show);
}

void ResultWriter::flag_or_null(Text name, std::optional<bool> value, Text /*description*/, Show show) {
  put(name, value ? ordered_json(*value) : ordered_json(), show);
}

void ResultWriter::integer_or_null(Text name, std::optional<std::int64_t> value, Text /*description*/,
                                   Show show) {
  put(name, value ? ordered_json(*value) : ordered_json(), show);
}

void ResultWriter::text_or_null(Text name, std::optional<Text> value, Text /*description*/, Show show) {
  put(name, value ? ordered_json(guarded(*value, show)) : ordered_json(), show);
}

void ResultWriter::choice(Text name, Text value, const Names& /*names*/, Text /*description*/, Show show) {
  put(name, value, show);
}

void ResultWriter::texts(Text name, const std::vector<std::string>& values, Text /*description*/, Show show) {
  ordered_json array = ordered_json::array();
  for (const std::string& value : values) {
    array.push_back(guarded(value, show));
  }
  put(name, std::move(array), show);
}

void ResultWriter::objects(Text name, const std::vector<Item>& items, const Item& /*sample*/,
                           Text /*description*/, Show show) {
  ordered_json array = ordered_json::array();
  array.get_ref<ordered_json::array_t&>().reserve(items.size());
  std::size_t fields = 0;
  for (const Item& describe_item : items) {
    ResultWriter item(guard_);
    auto& object = item.result_->get_ref<ordered_json::object_t&>();
    object.reserve(fields);  // each has about as many as the one before
    describe_item(item);
    fields = object.size();
    array.push_back(std::move(*item.result_));
  }
  put(name, std::move(array), show);
}

void ResultWriter::object(Text name, const Item& item, Text /*description*/, Show show) {
  ResultWriter object(guard_);
  item(object);
  put(name, std::move(*object.result_), show);
}

void ResultWriter::object_or_null(Text name, const Item& item, const Item& /*sample*/, Text /*description*/,
                                  Show show) {
  ResultWriter object(guard_);
  if (item) {
    item(object);
  }
  put(name, item ? std::move(*object.result_) : ordered_json(), show);
}

}  // namespace terminally
