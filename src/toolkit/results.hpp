#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace terminally {

/// Whether a field appears. `always` makes the field required in the schema; a field with `no` is left out.
enum class Show { always, yes, no };

[[nodiscard]] constexpr Show show_if(bool condition) {
  return condition ? Show::yes : Show::no;
}

/// Visits the fields of a result. A result type has one `void describe(ResultVisitor& v, const Result&
/// result)`, which the schema writer visits with an empty result and the writer with a real one: they cannot
/// drift apart.
class ResultVisitor {
 public:
  ResultVisitor() = default;
  ResultVisitor(const ResultVisitor&) = delete;
  ResultVisitor& operator=(const ResultVisitor&) = delete;
  virtual ~ResultVisitor() = default;

  using Text = std::string_view;
  using Names = std::vector<std::string_view>;
  using Item = std::function<void(ResultVisitor&)>;

  virtual void text(Text name, Text value, Text description, Show show = Show::always) = 0;
  /// Text that went through the call's view and guard already, or base64: written unchanged.
  virtual void log_text(Text name, Text value, Text description, Show show = Show::always) = 0;
  virtual void count(Text name, std::uint64_t value, Text description, Show show = Show::always) = 0;
  virtual void flag(Text name, bool value, Text description, Show show = Show::always) = 0;
  /// Written as null when there is no value.
  virtual void flag_or_null(Text name, std::optional<bool> value, Text description,
                            Show show = Show::always) = 0;
  virtual void integer_or_null(Text name, std::optional<std::int64_t> value, Text description,
                               Show show = Show::always) = 0;
  virtual void text_or_null(Text name, std::optional<Text> value, Text description,
                            Show show = Show::always) = 0;
  /// `value` is one of `names`.
  virtual void choice(Text name, Text value, const Names& names, Text description,
                      Show show = Show::always) = 0;
  virtual void texts(Text name, const std::vector<std::string>& values, Text description,
                     Show show = Show::always) = 0;
  /// An array of objects; `sample` describes an empty one.
  virtual void objects(Text name, const std::vector<Item>& items, const Item& sample, Text description,
                       Show show = Show::always) = 0;

  virtual void object(Text name, const Item& item, Text description, Show show = Show::always) = 0;

  /// Written as null when `item` is empty.
  virtual void object_or_null(Text name, const Item& item, const Item& sample, Text description,
                              Show show = Show::always) = 0;

  template <class T>
  void list(Text name, const std::vector<T>& values, Text description, Show show = Show::always) {
    std::vector<Item> items;
    items.reserve(values.size());
    for (const T& value : values) {
      items.emplace_back([&value](ResultVisitor& v) { describe(v, value); });
    }
    objects(name, items, [](ResultVisitor& v) { describe(v, T{}); }, description, show);
  }
};

}  // namespace terminally
