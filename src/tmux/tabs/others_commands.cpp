// What the commands of other processes of ours left in a tab.
#include "tmux/tabs/others_commands.hpp"

#include <filesystem>
#include <system_error>

namespace terminally {

void OthersCommands::notice(Tab& tab) {
  std::filesystem::path records = tab.log.path();
  std::error_code error;
  const auto size = std::filesystem::file_size(records.replace_extension(".commands"), error);
  std::uintmax_t& seen = seen_[tab.window];
  if (error || size == seen || !tab.runs.empty()) {
    return;
  }
  const auto latest = tab.records.latest();
  if (!latest || latest->state == CommandState::running) {
    return;
  }
  seen = size;
  tab.last_exit = latest->exit_code.value_or(tab.last_exit);
  const Clock::time_point end(Milliseconds(latest->started_steady_ms) + Milliseconds(latest->duration_ms));
  if (end > tab.shell.last_end() && end <= Clock::now()) {
    tab.shell.has_ended_command(end);
  }
}

}  // namespace terminally
