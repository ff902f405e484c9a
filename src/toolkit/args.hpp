#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.hpp"

namespace terminally {

enum class Need { required, optional };

/// The argument with a list of tabs, and how many it takes.
inline constexpr const char* kSeveralTabs = "window_ids";
inline constexpr std::size_t kMostTabsAtOnce = 32;

struct Range {
  std::uint64_t min = 0;
  std::uint64_t max = 0;
};

/// Visits the arguments of a tool. An argument struct has one
///
///     void describe(ArgsVisitor& v) { v.integer("lines", lines, {1, 1'000'000}, "How many lines."); }
///
/// that the schema writer and the reader both visit, so that the schema and the accepted arguments cannot
/// drift apart. Defaults are the values that the struct starts with. Descriptions are for a model that has
/// never seen the tool.
class ArgsVisitor {
 public:
  ArgsVisitor() = default;
  ArgsVisitor(const ArgsVisitor&) = delete;
  ArgsVisitor& operator=(const ArgsVisitor&) = delete;
  virtual ~ArgsVisitor() = default;

  using Text = std::string_view;
  using Names = std::vector<std::string_view>;

  virtual void tab(Text name, WindowId& value, Text description) = 0;                 ///< required
  virtual void tab(Text name, std::optional<WindowId>& value, Text description) = 0;  ///< optional
  /// One of several tabs (one_of_tabs.hpp): the schema has a list of them as well.
  virtual void one_of_tabs(Text name, WindowId& value, Text description, Text of_list) = 0;
  virtual void text(Text name, Need need, std::string& value, Range bytes, Text description) = 0;
  /// Required text of any characters, NUL included; may be empty.
  virtual void content(Text name, std::string& value, std::uint64_t most_bytes, Text description) = 0;
  virtual void integer(Text name, Need need, std::uint64_t& value, Range range, Text description) = 0;
  /// Without a default: the server decides where the argument is missing.
  virtual void integer(Text name, std::optional<std::uint64_t>& value, Range range, Text description) = 0;
  virtual void flag(Text name, bool& value, Text description) = 0;
  /// Without a default: the server decides where the argument is missing.
  virtual void flag(Text name, std::optional<bool>& value, Text description) = 0;
  /// `value` is an index into `names`.
  virtual void choice(Text name, std::size_t& value, const Names& names, Text description) = 0;
  /// Without a default.
  virtual void choice(Text name, Need need, std::optional<std::size_t>& value, const Names& names,
                      Text description) = 0;
  virtual void text_map(Text name, std::map<std::string, std::string>& value, Text description) = 0;

  /// A list that must not be empty, of at most `most` strings.
  virtual void texts(Text name, std::vector<std::string>& value, std::size_t most, Text description) = 0;

  /// To be called after the last argument.
  virtual void finish() = 0;
};

/// Writes the JSON Schema of the visited arguments.
class ArgsSchema final : public ArgsVisitor {
 public:
  ArgsSchema();
  ~ArgsSchema() override;

  void tab(Text name, WindowId& value, Text description) override;
  void tab(Text name, std::optional<WindowId>& value, Text description) override;
  void one_of_tabs(Text name, WindowId& value, Text description, Text of_list) override;
  void text(Text name, Need need, std::string& value, Range bytes, Text description) override;
  void content(Text name, std::string& value, std::uint64_t most_bytes, Text description) override;
  void integer(Text name, Need need, std::uint64_t& value, Range range, Text description) override;
  void integer(Text name, std::optional<std::uint64_t>& value, Range range, Text description) override;
  void flag(Text name, bool& value, Text description) override;
  void flag(Text name, std::optional<bool>& value, Text description) override;
  void choice(Text name, std::size_t& value, const Names& names, Text description) override;
  void choice(Text name, Need need, std::optional<std::size_t>& value, const Names& names,
              Text description) override;
  void text_map(Text name, std::map<std::string, std::string>& value, Text description) override;
  void texts(Text name, std::vector<std::string>& value, std::size_t most, Text description) override;
  void finish() override;

  [[nodiscard]] const nlohmann::ordered_json& schema() const { return *schema_; }

 private:
  nlohmann::ordered_json& add(Text name, Need need, Text type, Text description);

  std::unique_ptr<nlohmann::ordered_json> schema_;
};

/// Reads JSON into the visited arguments. `finish` throws one `Error` (invalid_argument) that names the wrong
/// fields (the first ten), their values, and what is allowed. A number written 5.0 is the integer 5, as in
/// JSON Schema; null is refused.
class ArgsReader final : public ArgsVisitor {
 public:
  /// `arguments` is an object and outlives the reader.
  explicit ArgsReader(const nlohmann::json& arguments) : arguments_(arguments) {}

  void tab(Text name, WindowId& value, Text description) override;
  void tab(Text name, std::optional<WindowId>& value, Text description) override;
  void one_of_tabs(Text name, WindowId& value, Text description, Text of_list) override;
  void text(Text name, Need need, std::string& value, Range bytes, Text description) override;
  void content(Text name, std::string& value, std::uint64_t most_bytes, Text description) override;
  void integer(Text name, Need need, std::uint64_t& value, Range range, Text description) override;
  void integer(Text name, std::optional<std::uint64_t>& value, Range range, Text description) override;
  void flag(Text name, bool& value, Text description) override;
  void flag(Text name, std::optional<bool>& value, Text description) override;
  void choice(Text name, std::size_t& value, const Names& names, Text description) override;
  void choice(Text name, Need need, std::optional<std::size_t>& value, const Names& names,
              Text description) override;
  void text_map(Text name, std::map<std::string, std::string>& value, Text description) override;
  void texts(Text name, std::vector<std::string>& value, std::size_t most, Text description) override;
  void finish() override;

 private:
  const nlohmann::json* find(Text name, Need need, Text allowed);
  std::optional<WindowId> read_tab(Text name, Need need);
  const std::string* read_text(Text name, Need need, Range bytes);
  std::optional<bool> read_flag(Text name);
  std::optional<std::uint64_t> read_integer(Text name, Need need, Range range);
  std::optional<std::size_t> read_choice(Text name, Need need, const Names& names);
  bool has_nul(Text name, const std::string& value);
  void refuse(Text name, const std::string& problem);

  const nlohmann::json& arguments_;
  std::vector<std::string_view> known_;
  std::string problems_;  ///< the first ten
  std::size_t problem_count_ = 0;
};

}  // namespace terminally
