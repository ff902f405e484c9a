// Keeps what is known of calls when they are over.
#include "door/call_book.hpp"

#include "base/timeout.hpp"
#include "calls/audit_line.hpp"
#include "calls/metrics_text.hpp"
#include "mcp/core.hpp"
#include "secrets/text_guard.hpp"
#include "toolkit/router.hpp"

namespace terminally {

void CallBook::watch(const std::string& instance, const Core& core) {
  core.peers->watch([book = shared_from_this(), instance, router = core.router](const EndedCall& call) {
    book->calls_.add(instance, call);
    if (call.method != "ping") {  // says nothing, and comes all the time
      const std::shared_ptr<TextGuard> guard = router->new_guard(call.by);
      book->audit_.append(audit_line(wall_clock_ms(), instance, call, guard.get()));
    }
  });
}

void CallBook::write(MetricsText& text) const {
  calls_.write(text);
  text.family("terminally_refused_total", "counter", "Requests that HTTP refused, by status.");
  for (const auto& [status, count] : refusals_) {
    text.sample("terminally_refused_total", metric_labels({{"status", std::to_string(status)}}), count);
  }
  text.family("terminally_audit_lost_total", "counter", "Lines that could not be written to the audit log.");
  text.sample("terminally_audit_lost_total", "", audit_.lost());
}

}  // namespace terminally
