#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.hpp"
#include "instance/instance.hpp"
#include "record/records.hpp"

namespace terminally {

struct PastCommand {
  WindowId window_id;
  CommandRecord record;
};

/// The last `most` commands of the instance, of one tab or of all tabs, closed tabs and older generations
/// included, without the `cd` of ours that took a tab to the directory of a command; in the order in which
/// they began. `open`: the open tabs. A command on record as running in any other tab was lost with that tab.
/// Throws Error(io) where records are there and cannot be read.
[[nodiscard]] std::vector<PastCommand> read_history(const Instance& instance, std::optional<WindowId> tab,
                                                    std::size_t most, const std::vector<WindowId>& open);

/// The command that was begun with this key (CommandRecord::task_key). Nothing on record: it was never typed.
/// Throws Error(io) where a record is there that cannot be read: then nobody knows.
[[nodiscard]] std::optional<PastCommand> find_by_key(const Instance& instance, const std::string& key);

}  // namespace terminally
