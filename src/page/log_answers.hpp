#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "http/site.hpp"
#include "log/pane_log.hpp"
#include "secrets/secrets.hpp"

namespace terminally {

using Query = std::map<std::string, std::string>;

/// A number of a query; `otherwise` where it is not there. Throws Error(invalid_argument).
[[nodiscard]] std::uint64_t number_in(const Query& query, const std::string& name, std::uint64_t otherwise);

/// A log as a page gets it: with stars in place of what is hidden (null: nothing is).
struct ShownLog {
  PaneLog log;
  std::shared_ptr<const Secrets> hidden;
  bool goes_on = false;  ///< the tab is open
};

/// `from`, `max`, `align=line`: bytes of a log, and what is missing among them. doc/page-wire.md, "HTTP".
[[nodiscard]] Awaitable<Response> log_answer(ShownLog log, Query query);

/// `from`, `to`: when the bytes of a log were printed, as at most 2,000 pairs of an offset and a time.
[[nodiscard]] Response times_answer(const PaneLog& log, const Query& query);

/// `from`, `to`, `view=raw|plain`: a log as a file, however long.
[[nodiscard]] Response download_answer(const ShownLog& log, const Query& query, const std::string& file_name);

}  // namespace terminally
