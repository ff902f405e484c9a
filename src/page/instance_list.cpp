#include "page/instance_list.hpp"

#include <algorithm>
#include <tuple>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/ids.hpp"
#include "instance/instance.hpp"
#include "instance/tab_ids.hpp"
#include "log/log_end.hpp"
#include "page/tab_board.hpp"
#include "record/records.hpp"
#include "system/proc.hpp"

namespace terminally {
namespace {

/// The log of a tab's own pane, not of one that a person split off, and no rotated segment.
bool is_live_log(const std::filesystem::path& path) {
  const std::string name = path.filename().string();
  constexpr std::string_view kBefore = "pane-";
  return name.starts_with(kBefore) && name.ends_with(".log") &&
         parse_window_id(std::string_view(name).substr(kBefore.size(), name.size() - kBefore.size() - 4));
}

void count_seen(const TabBoard& board, InstanceRow& row) {
  for (const auto& [window, tab] : board.tabs()) {
    const SeenCommand* const last = tab.last_command();
    const bool runs = last != nullptr && last->record.state == CommandState::running;
    row.last_output_at_ms = std::max(row.last_output_at_ms, tab.info.last_output_at_ms);
    row.tabs += tab.is_closed() ? 0 : 1;
    row.running += runs && !tab.is_closed() ? 1 : 0;
  }
}

}  // namespace

InstanceRow InstanceList::row_of(const std::string& name, const TabBoard* board) {
  const Instance instance(config_, name);
  InstanceRow row;
  row.name = name;
  row.unnamed = instance.is_unnamed();
  const int owner = instance.owner_pid();
  row.server = owner != 0;
  const std::string directory = owner != 0 ? process_cwd(owner) : "";
  row.project = directory.empty() ? name : std::filesystem::path(directory).filename().string();
  if (board != nullptr) {
    count_seen(*board, row);
  } else {
    count_tabs(instance, row);
  }
  return row;
}

void InstanceList::count_tabs(const Instance& instance, InstanceRow& row) {
  const bool lives = instance.server_listens();
  const std::vector<std::uint32_t> all = generations(instance);
  for (const std::filesystem::path& path :
       all.empty() ? std::vector<std::filesystem::path>() : entries_of(instance.generation(all.front()))) {
    if (!is_live_log(path)) {
      continue;
    }
    row.last_output_at_ms = std::max(row.last_output_at_ms, modified_ms(path));
    if (lives && log_writer(path) != 0) {
      ++row.tabs;
      row.running += runs_a_command(std::filesystem::path(path).replace_extension(".commands")) ? 1 : 0;
    }
  }
}

bool InstanceList::runs_a_command(const std::filesystem::path& path) {
  const std::int64_t changed = modified_ms(path);
  Records& known = records_[path];
  if (known.changed_ms != changed) {
    const auto latest = CommandRecords(path).latest();
    known = {changed, latest && latest->state == CommandState::running};
  }
  return known.runs;
}

std::optional<std::string> newest_of(const std::vector<InstanceRow>& rows) {
  const auto newest = std::ranges::max_element(
      rows, {}, [](const InstanceRow& row) { return std::tuple(row.tabs > 0, row.last_output_at_ms); });
  return newest == rows.end() ? std::nullopt : std::optional(newest->name);
}

}  // namespace terminally
