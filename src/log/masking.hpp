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

/// How far one looks around a part of a log. As far back as a private key is long, and as a line may be in
/// whose middle a secret stands. An echo and its START are shorter, but for one that all of the nearest bytes
/// are within.
inline constexpr std::uint64_t kLookBack = std::uint64_t{16} * 1024;
inline constexpr std::uint64_t kLookAhead = std::uint64_t{12} * 1024;

/// Log bytes, and the bytes around them that decide on what is secret, or ours, in them.
struct LogPart {
  std::string before;
  std::string bytes;
  std::string after;
  bool begins_line = true;  ///< `before` does; if not, its first line decides on nothing
  bool goes_on = false;     ///< what follows `after` is not logged yet
};

/// Which part of a log, and how far one may look around it.
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

/// The bytes of a log from `begin` to `end`; those after a gap follow.
[[nodiscard]] std::string read_range(const PaneLog& log, std::uint64_t begin, std::uint64_t end,
                                     std::vector<LogRun>* runs = nullptr);

/// Reads what is around `bytes`, which are those of `range`.
[[nodiscard]] LogPart log_part(const PaneLog& log, std::string bytes, const LogRange& range);
[[nodiscard]] LogPart log_part(const PaneLog& log, const LogRange& range);

/// What is secret in some bytes, from `from` on. Escape sequences in between do not hide a secret.
struct SecretsIn {
  std::vector<Edit> edits;                ///< a mask for each
  std::optional<std::size_t> unfinished;  ///< where one begins that may go on with the bytes
  /// Up to here nothing changes, whatever follows: behind it one may begin, if only by a letter or two of its
  /// line, or a line that may be one of a private key.
  std::size_t settled = 0;
};
[[nodiscard]] SecretsIn secrets_in(const Secrets& secrets, std::string_view bytes, std::size_t from,
                                   bool begins_line, bool goes_on);

}  // namespace terminally
