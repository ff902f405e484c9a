// Counts calls and how long they took.
#include "calls/call_metrics.hpp"

#include <algorithm>
#include <chrono>

#include "calls/metrics_text.hpp"

namespace terminally {

void Histogram::add(double seconds) {
  const auto* const bound = std::ranges::lower_bound(kBounds, seconds);
  ++counts_.at(static_cast<std::size_t>(bound - kBounds.begin()));
  sum_ += seconds;
}

void Histogram::write(MetricsText& text, const std::string& name, const std::string& labels) const {
  std::uint64_t so_far = 0;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    so_far += counts_.at(i);
    const std::string bound = i < kBounds.size() ? metric_number(kBounds.at(i)) : "+Inf";
    text.sample(name + "_bucket", labels + "," + metric_labels({{"le", bound}}), so_far);
  }
  text.sample(name + "_sum", labels, sum_);
  text.sample(name + "_count", labels, so_far);
}

void CallMetrics::add(const std::string& instance, const EndedCall& call) {
  const std::string what = metric_labels({{"method", call.method}, {"tool", call.tool}});
  const std::string where = metric_labels({{"instance", instance}});
  const std::string how = metric_labels({{"outcome", to_string(call.outcome)}});
  ++counts_[where + "," + what + "," + how];
  times_[what].add(std::chrono::duration<double>(call.took).count());
}

void CallMetrics::write(MetricsText& text) const {
  text.family("terminally_calls_total", "counter", "Requests that are over.");
  for (const auto& [labels, count] : counts_) {
    text.sample("terminally_calls_total", labels, count);
  }
  text.family("terminally_call_seconds", "histogram", "How long they took.");
  for (const auto& [labels, times] : times_) {
    times.write(text, "terminally_call_seconds", labels);
  }
}

}  // namespace terminally
