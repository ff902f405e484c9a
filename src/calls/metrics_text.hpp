#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace terminally {

/// A text in the exposition format of Prometheus, 0.0.4: families, each with its samples right behind it.
class MetricsText {
 public:
  static constexpr const char* kContentType = "text/plain; version=0.0.4; charset=utf-8";

  /// `type`: "counter", "gauge" or "histogram".
  void family(std::string_view name, std::string_view type, std::string_view help);
  /// `labels`: as metric_labels makes them, or empty.
  void sample(std::string_view name, const std::string& labels, std::uint64_t value);
  void sample(std::string_view name, const std::string& labels, double value);

  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  void put(std::string_view name, const std::string& labels, std::string_view value);

  std::string text_;
};

/// `a="1",b="2"`: what is between the braces of a sample.
[[nodiscard]] std::string metric_labels(
    const std::vector<std::pair<std::string_view, std::string_view>>& labels);

/// As short as it can be read back: "0.005".
[[nodiscard]] std::string metric_number(double value);

}  // namespace terminally
