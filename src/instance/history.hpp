#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.hpp"
#include "instance/instance.hpp"
#include "tab/records.hpp"

namespace terminally {

struct PastCommand {
  WindowId window_id;
  CommandRecord record;
};

/// The last `most` commands of the instance, of one tab or of all, closed ones and those of older generations
/// included; in the order in which they began. `open`: the tabs there are; what is on record as running
/// elsewhere was lost with its tab.
[[nodiscard]] std::vector<PastCommand> read_history(const Instance& instance, std::optional<WindowId> tab,
                                                    std::size_t most, const std::vector<WindowId>& open);

/// The command that was begun with this key (CommandRecord::task_key), if it is on record: then it may have
/// been typed, else it was not.
[[nodiscard]] std::optional<PastCommand> find_by_key(const Instance& instance, const std::string& key);

}  // namespace terminally
