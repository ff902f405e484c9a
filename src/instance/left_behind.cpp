// Marks the instances that are to end with their gateway, and tells which were left behind.
#include "instance/left_behind.hpp"

#include <cstdlib>
#include <optional>
#include <string_view>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/timeout.hpp"
#include "instance/peers.hpp"
#include "system/proc.hpp"

namespace terminally {
namespace {

constexpr Milliseconds kGatewayComesBack{600'000};
constexpr Milliseconds kDay{86'400'000};
constexpr std::string_view kForGood = "left";

std::filesystem::path mark_of(const Instance& instance) {
  return instance.runtime() / "temporary";
}

std::filesystem::path alone_since(const Instance& instance) {
  return instance.runtime() / "alone";
}

std::int64_t ms_since(const std::string& noted_ms) {
  return steady_ms(Clock::now()) - std::strtoll(noted_ms.c_str(), nullptr, 10);
}

/// What a person does in a tab is printed there, as is what a program does.
bool is_silent_for_a_day(const Instance& instance) {
  const auto since = std::filesystem::file_time_type::clock::now() - kDay;
  std::error_code error;
  for (std::filesystem::recursive_directory_iterator entry(instance.state(), error), end;
       !error && entry != end; entry.increment(error)) {
    if (entry->path().extension() == ".log" && entry->last_write_time(error) > since) {
      return false;
    }
  }
  return !error;
}

/// On a full disk the mark stays as it was, and the next look tries again.
void note_since(const std::filesystem::path& mark, const std::string& since) {
  try {
    replace_file(mark, since);
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

void mark_left(const Instance& instance) {
  note_since(mark_of(instance), std::string(kForGood));
}

LeftBehind left_behind(const Config& config, const Instance& instance) {
  const std::optional<std::string> since = read_file(mark_of(instance));
  if (!since) {
    return LeftBehind::no;
  }
  const bool is_served = lock_holder(gateway_lock_path(config, instance.name())) != 0;
  if (*since == kForGood) {
    return is_served ? LeftBehind::not_yet : LeftBehind::for_good;
  }
  if (is_served || since->empty()) {
    note_since(mark_of(instance), is_served ? "" : std::to_string(steady_ms(Clock::now())));
    return LeftBehind::not_yet;
  }
  return ms_since(*since) >= kGatewayComesBack.count() ? LeftBehind::for_good : LeftBehind::not_yet;
}

void note_served(const Instance& instance) {
  remove_file(alone_since(instance));
}

void note_alone(const Instance& instance) {
  note_since(alone_since(instance), std::to_string(steady_ms(Clock::now())));
}

bool is_alone_for_a_day(const Instance& instance) {
  if (instance.owner_pid() != 0 || !Peers(instance).others().empty()) {
    note_served(instance);
    return false;
  }
  const std::optional<std::string> since = read_file(alone_since(instance));
  if (!since || since->empty()) {
    note_alone(instance);
    return false;
  }
  return ms_since(*since) >= kDay.count() && is_silent_for_a_day(instance);
}

}  // namespace terminally
