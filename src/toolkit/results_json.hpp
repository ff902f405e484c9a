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

/// How a text answer (answer_text.hpp) says a field. Without a word about it, the field is said as "name
/// value", and left out where it is false, null or empty.
struct InText {
  static constexpr std::string_view kNever = "*";   ///< as `plain`: the field is for JSON, or said by a rule
  static constexpr std::string_view kAlways = "!";  ///< as `plain`: false and null are said as well

  // NOLINTBEGIN(readability-redundant-member-init): g++ warns where it is left out
  std::string_view plain = {};     ///< the value that goes without saying, too
  std::string_view words = {};     ///< '#' stands for the value
  std::string_view if_false = {};  ///< words for a flag that is false
  std::string_view unless = {};    ///< the flag that makes the field needless where it is true
  // NOLINTEND(readability-redundant-member-init)
  bool as_lines = false;  ///< of a list: each item is its `line`, between those of `before` and `after`
};

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

  /// How a text answer says the field that was visited last.
  virtual void in_text(const InText& /*how*/) {}

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

class TextGuard;

/// Writes the JSON Schema of a result.
class ResultSchema final : public ResultVisitor {
 public:
  ResultSchema();
  ~ResultSchema() override;

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

  /// Adds `notes`, which the router may put into every result.
  void add_notes();

  [[nodiscard]] const nlohmann::ordered_json& schema() const { return *schema_; }

 private:
  nlohmann::ordered_json& add(Text name, Text description, Show show);

  std::unique_ptr<nlohmann::ordered_json> schema_;
};

/// Writes the result as one JSON object, with the fields in the order of their description. Texts go through
/// the guard, if there is one; the guard must outlive the writer.
class ResultWriter final : public ResultVisitor {
 public:
  explicit ResultWriter(TextGuard* guard = nullptr);
  ~ResultWriter() override;

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

  [[nodiscard]] nlohmann::ordered_json& result() { return *result_; }

 private:
  void put(Text name, nlohmann::ordered_json value, Show show);
  [[nodiscard]] std::string guarded(Text value, Show show) const;

  TextGuard* guard_;

  std::unique_ptr<nlohmann::ordered_json> result_;
};

}  // namespace terminally
