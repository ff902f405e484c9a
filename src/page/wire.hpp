#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "log/pane_log.hpp"
#include "record/record.hpp"
#include "secrets/text_guard.hpp"

namespace terminally {

// What is told to a page, as JSON. doc/page-wire.md has the fields. Pure.

/// A message: one line of valid UTF-8.
[[nodiscard]] std::string wire_text(const nlohmann::json& message);

/// A number, or null where there is none.
template <typename T>
[[nodiscard]] nlohmann::json or_null(const std::optional<T>& value) {
  return value ? nlohmann::json(*value) : nlohmann::json(nullptr);
}

/// What is known of a command beside its record.
struct CommandExtras {
  std::optional<AwaitingInput> awaiting = std::nullopt;
  std::optional<std::uint64_t> lines = std::nullopt;
  /// Of its end, while it is being ended.
  std::string_view step = {};  // NOLINT(readability-redundant-member-init): g++ wants it named
};

/// The most bytes of a command's text, in lists of commands and in a tab.
inline constexpr std::size_t kCommandText = std::size_t{64} * 1024;
inline constexpr std::size_t kTabsCommandText = 200;

[[nodiscard]] nlohmann::json command_json(const CommandRecord& record, const CommandExtras& extras,
                                          std::size_t most_text);

/// The bytes missing before a slice that was read from `from` on; null: none.
struct WireGap {
  std::uint64_t from = 0;
  std::optional<std::uint64_t> bytes;  ///< none: nobody counted them
  std::string why;                     ///< "lost", "removed", "unknown"
  std::string detail;                  ///< the system's reason, for people; may be empty
};
[[nodiscard]] std::vector<WireGap> gaps_before(const PaneLog& log, std::uint64_t from,
                                               const PaneLog::Slice& slice);

/// Masks all texts of a message, for a page that may only look.
void mask_texts(nlohmann::json& message, TextGuard& guard);

}  // namespace terminally
