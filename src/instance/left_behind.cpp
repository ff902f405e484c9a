// Marks the instances that are to end with their gateway, and tells which were left behind.
#include "instance/left_behind.hpp"

#include <cstdlib>
#include <optional>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/timeout.hpp"
#include "system/proc.hpp"

namespace terminally {
namespace {

constexpr Milliseconds kGatewayComesBack{600'000};

std::filesystem::path mark_of(const Instance& instance) {
  return instance.runtime() / "temporary";
}

/// On a full disk the mark stays as it was, and the next look tries again.
void note_since(const std::filesystem::path& mark, const std::string& since) {
  try {
    write_file(mark, since);
  } catch (const Error&) {  // NOLINT(bugprone-empty-catch)
  }
}

}  // namespace

std::filesystem::path gateway_lock_path(const Config& config, const std::string& instance) {
  return config.runtime_root / (".gateway-" + instance);
}

void mark_temporary(const Instance& instance) {
  note_since(mark_of(instance), "");
}

LeftBehind left_behind(const Config& config, const Instance& instance) {
  const std::optional<std::string> since = read_file(mark_of(instance));
  if (!since) {
    return LeftBehind::no;
  }
  const bool is_served = lock_holder(gateway_lock_path(config, instance.name())) != 0;
  const std::int64_t now = steady_ms(Clock::now());
  if (is_served || since->empty()) {
    note_since(mark_of(instance), is_served ? "" : std::to_string(now));
    return LeftBehind::not_yet;
  }
  const std::int64_t alone_ms = now - std::strtoll(since->c_str(), nullptr, 10);
  return alone_ms >= kGatewayComesBack.count() ? LeftBehind::for_good : LeftBehind::not_yet;
}

}  // namespace terminally
