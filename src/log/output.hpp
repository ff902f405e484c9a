#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "log/pane_log.hpp"
#include "log/text_view.hpp"
#include "secrets/text_guard.hpp"

namespace terminally {

/// The text of the log from `begin` to `end`, bounded: longer than `max_bytes` as JSON it is the first fifth
/// and the last four fifths with a line between that says how much was left out and which bytes to read.
/// `omitted_bytes` counts raw log bytes.
struct BoundedText {
  std::string text = {};  // NOLINT(readability-redundant-member-init): g++ wants it named
  std::uint64_t omitted_bytes = 0;
  PaneLog::Gap gap = {};   ///< what of it is gone from the log
  MaskCounts masked = {};  // NOLINT(readability-redundant-member-init): g++ wants it named
};
struct OutputRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  bool goes_on = false;     ///< more may come
  std::uint64_t first = 0;  ///< how far back one may look for what a secret in it began with
};
/// Pure but for the log, and may be called from any thread; the guard counts nothing. Rendering costs up to
/// 0.1 s a megabyte of up to 4, masking a quarter of that.
[[nodiscard]] BoundedText bounded_text(const PaneLog& log, const OutputRange& range, const TextView& view,
                                       int cols, std::uint64_t max_bytes);

/// An offset beyond the end of a log was never told of it: it is another tab's. Throws
/// Error(invalid_argument) that names both; `field` is what the caller calls it.
void refuse_beyond_end(const PaneLog& log, std::uint64_t offset, const std::string& field = "from_byte");

/// Says what is gone, if anything is: "12 bytes of the output are gone …".
[[nodiscard]] std::optional<std::string> gap_note(const PaneLog::Gap& gap, std::string_view of_what);

}  // namespace terminally
