#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "calls/ended_call.hpp"

namespace terminally {

class MetricsText;

/// How many of something took how long.
class Histogram {
 public:
  /// Upper bounds in seconds; what took longer is in one more.
  static constexpr std::array kBounds = {0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1.0, 5.0, 10.0, 30.0, 60.0};

  void add(double seconds);
  /// Writes its samples. `labels` is not empty.
  void write(MetricsText& text, const std::string& name, const std::string& labels) const;

 private:
  std::array<std::uint64_t, kBounds.size() + 1> counts_{};
  double sum_ = 0;
};

/// Counts the requests that are over, by instance, method, tool and outcome, and by the time they took. All
/// of these names are ours, so there is an end to how many there are.
class CallMetrics {
 public:
  void add(const std::string& instance, const EndedCall& call);
  void write(MetricsText& text) const;

 private:
  // By their labels.
  std::map<std::string, std::uint64_t> counts_;
  std::map<std::string, Histogram> times_;
};

}  // namespace terminally
