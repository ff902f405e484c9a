#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "secrets/text_guard.hpp"

namespace terminally {

/// Bytes that a reader of a log does not see as they are: a secret, or text that we left there.
struct Edit {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string shown = {};  // NOLINT(readability-redundant-member-init): g++ wants it named
  std::optional<std::uint16_t> secret = std::nullopt;  ///< its kind; only where `shown` is its mask
  bool newline_after = false;
};

/// Marks the end of a screen row that does not end its line. No edit hides it; no terminal's text has it.
inline constexpr char kWrap = '\x01';

/// The bytes from `begin` to `end` with the edits applied, which are sorted by `begin`. Results of adjacent
/// parts join to that of the whole: an edit that began before `begin` shows nothing. Counts secrets.
[[nodiscard]] std::string edited(std::string_view bytes, const std::vector<Edit>& edits, std::size_t begin,
                                 std::size_t end, MaskCounts* masked = nullptr);
[[nodiscard]] std::string edited(std::string_view bytes, const std::vector<Edit>& edits);

}  // namespace terminally
