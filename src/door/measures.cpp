// Measures what is there now: tabs, logs, sessions, requests under way, memory.
#include "door/measures.hpp"

#include <unistd.h>

#include <sstream>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/spawned.hpp"
#include "calls/metrics_text.hpp"
#include "tmux/manager.hpp"

namespace terminally {
namespace {

Awaitable<void> count_tabs_of(InstanceMeasure& measure) {
  const std::vector<TabInfo> tabs = co_await measure.manager->tabs().list();
  measure.answers = true;
  measure.tabs = tabs.size();
  for (const TabInfo& tab : tabs) {
    measure.log_bytes += tab.log_bytes;
    measure.gap_bytes += tab.log_gap_bytes;
  }
}

/// Late, it counts for nobody.
Awaitable<void> count_until(Clock::time_point by, std::shared_ptr<std::vector<InstanceMeasure>> measures,
                            std::size_t at) {
  InstanceMeasure& one = measures->at(at);
  if (one.manager == nullptr) {
    co_return;
  }
  try {
    co_await run_until(by, count_tabs_of(one));
  } catch (const Error&) {  // NOLINT(bugprone-empty-catch): `answers` says it
  }
}

void write_gauge(MetricsText& text, const std::vector<InstanceMeasure>& measures, const std::string& name,
                 std::string_view help, std::uint64_t InstanceMeasure::* what) {
  text.family(name, "gauge", help);
  for (const InstanceMeasure& one : measures) {
    if (one.answers) {
      text.sample(name, metric_labels({{"instance", one.instance}}), one.*what);
    }
  }
}

/// 0 where /proc does not say.
std::uint64_t resident_bytes() {
  std::istringstream statm(read_file("/proc/self/statm").value_or(""));
  std::uint64_t size = 0;
  std::uint64_t resident = 0;
  statm >> size >> resident;
  return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

}  // namespace

Awaitable<void> count_tabs(std::shared_ptr<std::vector<InstanceMeasure>> measures, Clock::time_point by) {
  const auto executor = co_await boost::asio::this_coro::executor;
  std::vector<Spawned<>> counts;
  counts.reserve(measures->size());
  for (std::size_t at = 0; at < measures->size(); ++at) {
    counts.emplace_back(executor, count_until(by, measures, at));
  }
  for (const Spawned<>& count : counts) {
    co_await count.wait_by(by);
  }
}

void write_measures(MetricsText& text, const std::vector<InstanceMeasure>& measures) {
  text.family("terminally_peers", "gauge", "Clients and requests that stand alone, by transport and role.");
  for (const InstanceMeasure& one : measures) {
    for (const auto& [identity, count] : one.peers) {
      text.sample("terminally_peers", metric_labels({{"instance", one.instance}, {"by", identity}}), count);
    }
  }
  text.family("terminally_sessions", "gauge", "Sessions of legacy clients.");
  for (const InstanceMeasure& one : measures) {
    text.sample("terminally_sessions", metric_labels({{"instance", one.instance}}), one.sessions);
  }
  text.family("terminally_instance_answers", "gauge", "Whether the tabs of the instance could be counted.");
  for (const InstanceMeasure& one : measures) {
    text.sample("terminally_instance_answers", metric_labels({{"instance", one.instance}}),
                std::uint64_t{one.answers});
  }
  write_gauge(text, measures, "terminally_tabs", "Open tabs.", &InstanceMeasure::tabs);
  write_gauge(text, measures, "terminally_tab_log_bytes", "What the open tabs have printed.",
              &InstanceMeasure::log_bytes);
  write_gauge(text, measures, "terminally_tab_log_gap_bytes", "Of that, what is gone from their logs.",
              &InstanceMeasure::gap_bytes);
}

void write_budget(MetricsText& text, const Budget::Taken& taken) {
  text.family("terminally_requests_under_way", "gauge", "Requests that are not answered yet.");
  text.sample("terminally_requests_under_way", "", std::uint64_t{taken.requests});
  text.family("terminally_request_bytes_under_way", "gauge", "What their texts take.");
  text.sample("terminally_request_bytes_under_way", "", std::uint64_t{taken.bytes});
}

void write_process(MetricsText& text) {
  text.family("process_resident_memory_bytes", "gauge", "Resident memory of this process.");
  text.sample("process_resident_memory_bytes", "", resident_bytes());
}

}  // namespace terminally
