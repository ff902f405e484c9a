#pragma once

#include "toolkit/results.hpp"

namespace terminally {

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
