#pragma once

#include <cstddef>
#include <string>

#include "log/pane_log.hpp"
#include "secrets/secrets.hpp"

namespace terminally {

/// Bytes of a log for a page that may only look: stars stand in place of secrets and of lines that we typed,
/// as many as there were bytes, so that offsets stay exact. Line ends stay.
struct StarredPart {
  std::string bytes;
  /// Whatever is printed next, these bytes stay so: behind them a secret may begin.
  std::size_t settled = 0;
};

/// `slice` was read from `log`, whose bytes around it are read as well. `goes_on`: more may be printed.
[[nodiscard]] StarredPart starred(const Secrets& secrets, const PaneLog& log, const PaneLog::Slice& slice,
                                  bool goes_on);

/// The same for bytes of a log that is not here: what only the bytes around them show is not seen.
[[nodiscard]] std::string starred_alone(const Secrets& secrets, std::string bytes);

}  // namespace terminally
