#include "tmux/tabs/tab_look.hpp"

#include "base/error.hpp"
#include "base/utf8.hpp"
#include "command/awaiting_input.hpp"
#include "command/command_run.hpp"
#include "system/proc.hpp"
#include "system/stillness.hpp"

namespace terminally {

/// What a tab was like when it was looked at last, and what tells whether it is so still. Both are read
/// before the look: what moves during it has moved since.
struct TabAtRest {
  Stillness still;
  PaneLog::Stamp log;
  int shell_pid = 0;
  std::optional<TabInfo> info;  ///< none: it was not at rest
};

namespace {

/// Of the shell at its prompt that nothing was run in by anybody.
bool is_free(const Tab& tab) {
  return tab.runs.empty() && !tab.files.running_nonce();
}

bool is_free(const Tab& tab, RunningMarks& marks) {
  return tab.runs.empty() && (!marks.may_have(tab.files) || is_free(tab));
}

/// What tmux says of it.
void place(TabInfo& info, const Tab& tab) {
  info.name = tab.name;
  info.active = tab.active;
  info.tmux_window = tab.tmux_window;
  info.tmux_session = tab.tmux_session;
}

std::int64_t written_ms(const PaneLog::Stamp& log) {
  return log.seconds * 1'000 + log.nanoseconds / 1'000'000;
}

void add_log(TabInfo& info, const Tab& tab, const PaneLog::Stamp& log) {
  info.log_path = tab.log.path().string();
  try {
    const PaneLog::Extent extent = tab.log.extent();
    info.log_bytes = extent.end;
    info.log_gap_bytes = extent.gap.bytes;
    info.log_gap_unknown = extent.gap.unknown;
  } catch (const Error&) {
    info.log_gap_unknown = true;  // who reads it is told why it cannot be read; the other tabs are well
  }
  info.last_output_at_ms = info.log_bytes > 0 ? written_ms(log) : 0;
}

std::optional<LastCommand> last_command(const Tab& tab) {
  std::optional<CommandRecord> record =
      tab.runs.empty() ? tab.records.latest() : std::optional(tab.runs.back()->record());
  if (!record) {
    return std::nullopt;
  }
  constexpr std::size_t kMostBytes = 16'384;  // more than any reader shows
  LastCommand command{.text = shortened(record->command, kMostBytes),
                      .state = record->state,
                      .exit_code = record->exit_code,
                      .started_at_ms = record->started_at_ms,
                      .awaiting_input = std::nullopt};
  if (command.state == CommandState::running) {
    command.awaiting_input = awaiting_input(tab);
  }
  return command;
}

}  // namespace

std::optional<TabInfo> info_at_rest(Tab& tab, RunningMarks& marks) {
  if (!tab.at_rest) {
    tab.at_rest = std::make_shared<TabAtRest>();
  }
  TabAtRest& rest = *tab.at_rest;
  const PaneLog::Stamp log = tab.log.stamp();
  const bool still = rest.still.lasts(tab.pane_pid.pid) && rest.log == log;
  rest.log = log;
  if (!still || !rest.info || !is_free(tab, marks)) {
    rest.info.reset();
    return std::nullopt;
  }
  rest.info->cwd = process_cwd(rest.shell_pid);  // others may rename it
  place(*rest.info, tab);
  return rest.info;
}

TabInfo info_of(Tab& tab, const Foreground& foreground) {
  TabAtRest& rest = *tab.at_rest;
  TabInfo info;
  info.window_id = tab.window;
  place(info, tab);
  InFront front = in_front(foreground);
  info.foreground = std::move(front.name);
  info.cwd = std::move(front.cwd);
  info.busy = !foreground.is_shell() || reads_keyboard(foreground, tab.tty) ||
              (foreground.kind == Foreground::Kind::shell &&
               (tab.runs.empty() ? tab.files.running_nonce().has_value()
                                 : !tab.runs.back()->shells().opened(foreground)));
  add_log(info, tab, rest.log);
  info.command = last_command(tab);
  // Of a log in several files more is to be looked at than the last of them.
  const bool is_one_file =
      info.log_bytes == rest.log.size && info.log_gap_bytes == 0 && !info.log_gap_unknown;
  // The end of a command is on record a moment after it is in the log.
  const bool is_over = !info.command || info.command->state != CommandState::running;
  if (foreground.kind == Foreground::Kind::shell && !info.busy && is_free(tab) && is_one_file && is_over) {
    rest.shell_pid = foreground.pid;
    rest.info = info;
  }
  return info;
}

bool says_it_is_in(const std::string& directory, const Foreground& shell, Tab& tab) {
  if (process_cwd(shell.pid) != directory) {
    return false;
  }
  return tab.pwd.shell_pid == shell.pid ? tab.read_pwd() == directory
                                        : process_has_environment(shell.pid, "PWD=" + directory);
}

}  // namespace terminally
