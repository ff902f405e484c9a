#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "log/edits.hpp"
#include "log/pane_log.hpp"
#include "secrets/text_guard.hpp"

namespace terminally {

/// How far to read around a part of a log: as far as a private key is long, and a line around a secret. An
/// echo and its START are shorter, unless it is an in-line echo that all of the nearest bytes belong to.
inline constexpr std::uint64_t kLookBack = std::uint64_t{16} * 1024;
inline constexpr std::uint64_t kLookAhead = std::uint64_t{12} * 1024;

/// How far back what is drawn decides on how a part of a log is rendered, at most.
inline constexpr std::uint64_t kScreenBytes = std::uint64_t{256} * 1024;

/// A part of a log, with the bytes around it that decide what in the part is secret, or typed by us.
struct LogPart {
  std::string drawn_before;  ///< on the screen, before `before`; where the part is to be rendered
  std::string before;
  std::string bytes;
  std::string after;
  bool begins_line = true;  ///< `before` begins with a line; if not, its first line is ignored
  bool goes_on = false;     ///< the bytes after `after` are not logged yet
};

/// A part of a log, and how far one may read around it.
struct LogRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  bool goes_on = false;  ///< more may be printed after `last`
};

/// Bytes of a log without a gap.
struct LogRun {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
};

/// The bytes of a log from `begin` to `end`, without the gaps; `runs` gets where they stand.
[[nodiscard]] std::string read_range(const PaneLog& log, std::uint64_t begin, std::uint64_t end,
                                     std::vector<LogRun>* runs = nullptr);

/// Reads the surroundings of `bytes`, which are those of `range`. `draws`: it is to be rendered.
[[nodiscard]] LogPart log_part(const PaneLog& log, std::string bytes, const LogRange& range, bool draws);
[[nodiscard]] LogPart log_part(const PaneLog& log, const LogRange& range);

/// The secrets in `bytes` from `from` on; escape sequences between their characters hide none.
struct SecretsIn {
  std::vector<Edit> edits;                ///< one for each secret, with its mask
  std::optional<std::size_t> unfinished;  ///< where a secret begins that may go on after the bytes
  /// Whatever follows the bytes, nothing changes before this: a secret, or a line of a private key, may begin
  /// behind it, if only with a letter or two of its line.
  std::size_t settled = 0;
};
[[nodiscard]] SecretsIn secrets_in(const Secrets& secrets, std::string_view bytes, std::size_t from,
                                   bool begins_line, bool goes_on);

}  // namespace terminally
