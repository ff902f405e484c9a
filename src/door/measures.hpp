#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/awaitable.hpp"
#include "base/timeout.hpp"
#include "door/budget.hpp"

namespace terminally {

class MetricsText;
class TmuxManager;

/// What there is of one open instance at one moment.
struct InstanceMeasure {
  std::string instance;
  TmuxManager* manager = nullptr;  ///< null in tests
  std::uint64_t sessions = 0;
  std::map<std::string, std::uint64_t> peers;  ///< by identity
  bool answers = false;                        ///< its tabs could be counted
  std::uint64_t tabs = 0;
  std::uint64_t log_bytes = 0;  ///< of open tabs, since each began
  std::uint64_t gap_bytes = 0;  ///< of these, what is gone
};

/// Counts the tabs of all of them side by side, until then at the latest.
[[nodiscard]] Awaitable<void> count_tabs(std::shared_ptr<std::vector<InstanceMeasure>> measures,
                                         Clock::time_point by);

void write_measures(MetricsText& text, const std::vector<InstanceMeasure>& measures);
void write_budget(MetricsText& text, const Budget::Taken& taken);
/// The memory of this process.
void write_process(MetricsText& text);

}  // namespace terminally
