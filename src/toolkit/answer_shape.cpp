// Collects from the description of an answer how its text says each field.
#include "toolkit/answer_shape.hpp"

namespace terminally {

void AnswerShape::add(Text name, const Item& sample) {
  Field field;
  field.name = name;
  if (sample) {
    AnswerShape of;
    sample(of);
    field.items = std::move(of.fields_);
  }
  fields_.push_back(std::move(field));
}

void AnswerShape::in_text(const InText& how) {
  fields_.back().how = how;
}

void AnswerShape::log_text(Text name, Text /*value*/, Text /*description*/, Show /*show*/) {
  add(name);
  fields_.back().is_body = true;
}

void AnswerShape::text(Text name, Text /*value*/, Text /*description*/, Show /*show*/) {
  add(name);
}

void AnswerShape::count(Text name, std::uint64_t /*value*/, Text /*description*/, Show /*show*/) {
  add(name);
}

void AnswerShape::flag(Text name, bool /*value*/, Text /*description*/, Show /*show*/) {
  add(name);
}

void AnswerShape::flag_or_null(Text name, std::optional<bool> /*value*/, Text /*description*/,
                               Show /*show*/) {
  add(name);
}

void AnswerShape::integer_or_null(Text name, std::optional<std::int64_t> /*value*/, Text /*description*/,
                                  Show /*show*/) {
  add(name);
}

void AnswerShape::text_or_null(Text name, std::optional<Text> /*value*/, Text /*description*/,
                               Show /*show*/) {
  add(name);
}

void AnswerShape::choice(Text name, Text /*value*/, const Names& /*names*/, Text /*description*/,
                         Show /*show*/) {
  add(name);
}

void AnswerShape::texts(Text name, const std::vector<std::string>& /*values*/, Text /*description*/,
                        Show /*show*/) {
  add(name);
}

void AnswerShape::objects(Text name, const std::vector<Item>& /*items*/, const Item& sample,
                          Text /*description*/, Show /*show*/) {
  add(name, sample);
}

void AnswerShape::object(Text name, const Item& item, Text /*description*/, Show /*show*/) {
  add(name, item);
}

void AnswerShape::object_or_null(Text name, const Item& /*item*/, const Item& sample, Text /*description*/,
                                 Show /*show*/) {
  add(name, sample);
}

}  // namespace terminally
