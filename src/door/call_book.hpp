#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "calls/audit_log.hpp"
#include "calls/call_metrics.hpp"

namespace terminally {

struct Core;

/// Counts the calls that came over HTTP, and writes them into the audit log.
class CallBook : public std::enable_shared_from_this<CallBook> {
 public:
  /// The audit log is `directory`/.audit.jsonl; no instance has such a name.
  CallBook(const std::filesystem::path& directory, std::uint64_t most_bytes)
      : audit_(directory / ".audit.jsonl", most_bytes) {}

  /// From now on it is told of the calls of this core's peers, and lives as long.
  void watch(const std::string& instance, const Core& core);
  /// One request was refused with this status, and was no call.
  void note_refusal(unsigned status) { ++refusals_[status]; }
  void write(MetricsText& text) const;

 private:
  AuditLog audit_;
  CallMetrics calls_;
  std::map<unsigned, std::uint64_t> refusals_;
};

}  // namespace terminally
