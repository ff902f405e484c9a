// Writes measurements as Prometheus reads them.
#include "calls/metrics_text.hpp"

#include <array>
#include <charconv>

namespace terminally {

void MetricsText::family(std::string_view name, std::string_view type, std::string_view help) {
  text_.append("# HELP ").append(name).append(" ").append(help).append("\n");
  text_.append("# TYPE ").append(name).append(" ").append(type).append("\n");
}

void MetricsText::sample(std::string_view name, const std::string& labels, std::uint64_t value) {
  put(name, labels, std::to_string(value));
}

void MetricsText::sample(std::string_view name, const std::string& labels, double value) {
  put(name, labels, metric_number(value));
}

void MetricsText::put(std::string_view name, const std::string& labels, std::string_view value) {
  text_.append(name);
  if (!labels.empty()) {
    text_.append("{").append(labels).append("}");
  }
  text_.append(" ").append(value).append("\n");
}

std::string metric_labels(const std::vector<std::pair<std::string_view, std::string_view>>& labels) {
  std::string text;
  for (const auto& [name, value] : labels) {
    text.append(text.empty() ? "" : ",").append(name).append("=\"");
    for (const char c : value) {
      text.append(c == '\\' ? "\\\\" : c == '"' ? "\\\"" : c == '\n' ? "\\n" : std::string(1, c));
    }
    text.append("\"");
  }
  return text;
}

std::string metric_number(double value) {
  std::array<char, 40> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  return {digits.data(), end};
}

}  // namespace terminally
