#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "toolkit/results_json.hpp"

namespace terminally {

/// What the description of an answer says about its text: which field is the body, and how the others are
/// said. The answer itself is JSON by then, which may have come from a host.
class AnswerShape final : public ResultVisitor {
 public:
  struct Field {
    std::string name = {};  // NOLINT(readability-redundant-member-init): g++ warns where it is left out
    bool is_body = false;   ///< text that is given as it is
    InText how = {};        // NOLINT(readability-redundant-member-init)
    /// The fields of an object, or of the objects of a list.
    std::vector<Field> items = {};  // NOLINT(readability-redundant-member-init): g++ wants it named
  };

  void text(Text name, Text value, Text description, Show show) override;
  void log_text(Text name, Text value, Text description, Show show) override;
  void count(Text name, std::uint64_t value, Text description, Show show) override;
  void flag(Text name, bool value, Text description, Show show) override;
  void flag_or_null(Text name, std::optional<bool> value, Text description, Show show) override;
  void integer_or_null(Text name, std::optional<std::int64_t> value, Text description, Show show) override;
  void text_or_null(Text name, std::optional<Text> value, Text description, Show show) override;
  void choice(Text name, Text value, const Names& names, Text description, Show show) override;
  void texts(Text name, const std::vector<std::string>& values, Text description, Show show) override;
  void objects(Text name, const std::vector<Item>& items, const Item& sample, Text description,
               Show show) override;
  void object(Text name, const Item& item, Text description, Show show) override;
  void object_or_null(Text name, const Item& item, const Item& sample, Text description, Show show) override;
  void in_text(const InText& how) override;

  [[nodiscard]] const std::vector<Field>& fields() const { return fields_; }

 private:
  void add(Text name, const Item& sample = nullptr);

  std::vector<Field> fields_;
};

}  // namespace terminally
