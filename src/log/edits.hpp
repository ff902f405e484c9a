#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "secrets/text_guard.hpp"

namespace terminally {

/// Bytes that a reader of a log does not see as they are: a secret, or what we ourselves left there.
struct Edit {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string shown = {};  // NOLINT(readability-redundant-member-init): g++ wants it named
  std::optional<std::uint16_t> secret = std::nullopt;  ///< its kind; only where it has a mask of its own
  bool newline_after = false;
};

/// Stands in the rows of a screen for the end of a row that does not end its line; no edit hides it. No
/// terminal has it in its text.
inline constexpr char kWrap = '\x01';

/// The bytes from `begin` to `end` after these edits, which are in the order of their beginnings: the parts
/// of any division are the whole. Of an edit that began before, nothing is shown. Counts the secrets.
[[nodiscard]] std::string edited(std::string_view bytes, const std::vector<Edit>& edits, std::size_t begin,
                                 std::size_t end, MaskCounts* masked = nullptr);
[[nodiscard]] std::string edited(std::string_view bytes, const std::vector<Edit>& edits);

}  // namespace terminally
