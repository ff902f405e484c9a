#pragma once

#include <cstdint>
#include <string_view>

#include "base/digests.hpp"

namespace terminally {

/// A number that a process's children inherit whatever they do: fork twice, begin a session, clear the
/// environment, change the user. By its tag every process that a command started is known. The tag is stored
/// as the soft limit of file locks (RLIMIT_LOCKS), which no kernel since Linux 2.4 enforces; `ulimit -x` and
/// /proc/PID/limits show it.
///
/// 28 bits are the instance's, 14 the pane's, 21 the command's. A tab's first shell, and processes started
/// before any command of ours, have 0 for the command.
struct ProcessTag {
  static constexpr int kCommandBits = 21;
  static constexpr int kPaneBits = 14;

  std::uint64_t value = 0;

  [[nodiscard]] constexpr std::uint64_t tab() const { return value >> kCommandBits; }
  [[nodiscard]] constexpr std::uint64_t instance() const { return value >> (kCommandBits + kPaneBits); }
  [[nodiscard]] friend constexpr bool operator==(ProcessTag, ProcessTag) = default;
  [[nodiscard]] friend constexpr auto operator<=>(ProcessTag, ProcessTag) = default;
};

namespace detail {

constexpr std::uint64_t hash_bits(std::string_view text, int bits) {
  const std::uint64_t hash = fnv1a(text);
  return (hash ^ (hash >> 32U)) & ((std::uint64_t{1} << static_cast<unsigned>(bits)) - 1);
}

}  // namespace detail

/// The tag of processes started in a tab. `instance` is Instance::cookie(). The panes of the next generation
/// have the same numbers but other tags.
constexpr ProcessTag tab_tag(std::string_view instance, std::uint64_t generation, std::uint64_t pane) {
  constexpr std::uint64_t kPanesApart = 977;
  constexpr int kInstanceBits = 63 - ProcessTag::kPaneBits - ProcessTag::kCommandBits;
  const std::uint64_t panes = (std::uint64_t{1} << ProcessTag::kPaneBits) - 1;
  return ProcessTag{(detail::hash_bits(instance, kInstanceBits) << ProcessTag::kPaneBits |
                     ((generation * kPanesApart + pane) & panes))
                    << ProcessTag::kCommandBits};
}

/// The tag of processes that one command starts. `nonce` identifies the command in the log.
constexpr ProcessTag command_tag(ProcessTag tab, std::string_view nonce) {
  return ProcessTag{tab.tab() << ProcessTag::kCommandBits |
                    detail::hash_bits(nonce, ProcessTag::kCommandBits)};
}

}  // namespace terminally
