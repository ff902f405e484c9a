#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.hpp"

namespace terminally {

class TextGuard;

struct SearchLogs {
  WindowId window_id;
  std::string pattern;  ///< PCRE2, matched against each line without its escape sequences
  std::uint64_t context_lines = 2;
  std::uint64_t max_matches = 50;
  std::uint64_t from_byte = 0;
  bool ignore_case = false;
  std::shared_ptr<TextGuard> guard = nullptr;  ///< masks the lines after the pattern was matched
  /// See TextView.
  std::string own_files = {};  // NOLINT(readability-redundant-member-init): g++ wants it named
};

/// One line that matched. Texts have no escape sequences; a text of more than 1000 bytes is cut, the matched
/// line around the match. No line stands in an answer twice: `before` begins after the lines shown already,
/// `after` ends before the next match.
struct FoundLine {
  std::string line;
  std::uint64_t byte = 0;  ///< log offset of the match
  std::vector<std::string> before;
  std::vector<std::string> after;
};

struct FoundLines {
  std::vector<FoundLine> matches;
  std::uint64_t next_byte = 0;  ///< where to search on
  bool truncated = false;       ///< the log was not searched to its end: there may be more from next_byte on
  std::vector<std::string> notes;
};

}  // namespace terminally
