// Counts and times of calls, as Prometheus reads them.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "calls/call_metrics.hpp"
#include "calls/metrics_text.hpp"
#include "door/budget.hpp"
#include "door/measures.hpp"

using namespace terminally;

namespace {

bool has_metric_line(const std::string& text, const std::string& line) {
  return ("\n" + text).find("\n" + line + "\n") != std::string::npos;
}

}  // namespace

TEST_CASE("metrics: labels and numbers are written as they are read") {
  CHECK(metric_labels({}).empty());
  CHECK(metric_labels({{"a", "1"}, {"b", ""}}) == R"(a="1",b="")");
  CHECK(metric_labels({{"a", "\"\\\n"}}) == R"(a="\"\\\n")");
  CHECK(metric_number(0.005) == "0.005");
  CHECK(metric_number(30) == "30");
  CHECK(metric_number(0) == "0");
  MetricsText text;
  text.family("x", "gauge", "Words.");
  text.sample("x", "", std::uint64_t{7});
  text.sample("x", "a=\"1\"", 0.5);
  CHECK(text.take() == "# HELP x Words.\n# TYPE x gauge\nx 7\nx{a=\"1\"} 0.5\n");
}

TEST_CASE("metrics: a histogram counts what took at most so long") {
  Histogram times;
  for (const double seconds : {0.0, 0.001, 0.002, 0.005, 0.3, 60.0, 61.0}) {
    times.add(seconds);
  }
  MetricsText text;
  times.write(text, "t", "a=\"1\"");
  const std::string written = text.take();
  CHECK(has_metric_line(written, R"(t_bucket{a="1",le="0.001"} 2)"));
  CHECK(has_metric_line(written, R"(t_bucket{a="1",le="0.005"} 4)"));
  CHECK(has_metric_line(written, R"(t_bucket{a="1",le="0.1"} 4)"));
  CHECK(has_metric_line(written, R"(t_bucket{a="1",le="0.5"} 5)"));
  CHECK(has_metric_line(written, R"(t_bucket{a="1",le="60"} 6)"));
  CHECK(has_metric_line(written, R"(t_bucket{a="1",le="+Inf"} 7)"));
  CHECK(has_metric_line(written, R"(t_count{a="1"} 7)"));
  CHECK(written.find("t_sum{a=\"1\"} 121.30") != std::string::npos);
}

TEST_CASE("metrics: calls are counted by where, what and how") {
  const PeerSettings by;
  const nlohmann::json params;
  CallMetrics calls;
  EndedCall call{by, "", "tools/call", "echo", params, CallOutcome::ok, "", std::chrono::milliseconds(3)};
  calls.add("work", call);
  calls.add("work", call);
  calls.add("other", call);
  call.outcome = CallOutcome::cancelled;
  calls.add("work", call);
  MetricsText text;
  calls.write(text);
  const std::string written = text.take();
  const std::string echo = R"(method="tools/call",tool="echo")";
  CHECK(has_metric_line(written, "terminally_calls_total{instance=\"work\"," + echo + ",outcome=\"ok\"} 2"));
  CHECK(has_metric_line(written, "terminally_calls_total{instance=\"other\"," + echo + ",outcome=\"ok\"} 1"));
  CHECK(has_metric_line(written,
                        "terminally_calls_total{instance=\"work\"," + echo + ",outcome=\"cancelled\"} 1"));
  CHECK(has_metric_line(written, "terminally_call_seconds_bucket{" + echo + ",le=\"0.001\"} 0"));
  CHECK(has_metric_line(written, "terminally_call_seconds_bucket{" + echo + ",le=\"0.005\"} 4"));
}

TEST_CASE("metrics: what there is now; of an instance that does not answer nothing is said of tabs") {
  InstanceMeasure open;
  open.instance = "work";
  open.sessions = 2;
  open.peers = {{"http exec", 2}, {"http view", 1}};
  open.answers = true;
  open.tabs = 3;
  open.log_bytes = 1'000;
  open.gap_bytes = 10;
  InstanceMeasure silent;
  silent.instance = "silent";
  MetricsText text;
  write_measures(text, {open, silent});
  Budget budget;
  const Budget::Share share = budget.take("a", 2, 300);
  write_budget(text, budget.taken());
  write_process(text);
  const std::string written = text.take();
  for (const char* line :
       {R"(terminally_peers{instance="work",by="http exec"} 2)",
        R"(terminally_peers{instance="work",by="http view"} 1)", R"(terminally_sessions{instance="work"} 2)",
        R"(terminally_sessions{instance="silent"} 0)", R"(terminally_instance_answers{instance="work"} 1)",
        R"(terminally_instance_answers{instance="silent"} 0)", R"(terminally_tabs{instance="work"} 3)",
        R"(terminally_tab_log_bytes{instance="work"} 1000)",
        R"(terminally_tab_log_gap_bytes{instance="work"} 10)", "terminally_requests_under_way 2",
        "terminally_request_bytes_under_way 300"}) {
    CAPTURE(line);
    CHECK(has_metric_line(written, line));
  }
  CHECK(written.find("terminally_tabs{instance=\"silent\"") == std::string::npos);
  CHECK(written.find("\nprocess_resident_memory_bytes 0\n") == std::string::npos);
}
