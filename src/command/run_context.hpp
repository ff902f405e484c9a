#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

#include "base/event.hpp"
#include "command/life.hpp"
#include "system/log_watch.hpp"
#include "system/process_table.hpp"
#include "tab/pane_terminal.hpp"
#include "tab/tab.hpp"

namespace terminally {

class CommandEnd;

/// What every command needs of its manager. Lives as long as the event loop runs.
struct RunContext {
  boost::asio::any_io_executor executor;
  std::function<std::unique_ptr<PaneTerminal>(const Tab&)> terminal_of;
  LogWatch& watch;
  std::function<bool()> server_alive;
  std::filesystem::path helper;  ///< terminally-shell
  ProcessTable& processes;
  /// A command that is asked for later by its key, where a link may be cut meanwhile: without its record on
  /// disk it is not typed, as "unknown" would be said of one that ran.
  bool keys_are_on_disk = false;
};

/// How far one command has come, and what is wanted of it.
struct RunState {
  CommandLife life;
  Requested requested;
  Event ended;

  /// Why the end of the command is ours; none: it is not.
  [[nodiscard]] Reason why() const { return life.termination().why(requested); }
  [[nodiscard]] bool is_interrupted() const { return why() != Reason::none; }
  [[nodiscard]] bool is_being_ended() const { return requested.ends || life.termination().has_pressed(); }
  [[nodiscard]] bool has_ended() const { return ended.is_set(); }
};

/// Where one command stands among those of its tab: it was typed into a shell that the one around it opened.
/// All that a command asks of the others. In command_run.cpp, which knows them.
class PlaceInTab {
 public:
  /// Both outlive it.
  PlaceInTab(Tab& tab, const CommandRun& run) : tab_(tab), run_(run) {}

  [[nodiscard]] bool is_outermost() const;
  [[nodiscard]] bool is_innermost() const;
  /// Whether the exit code of a command around this one is known, which then tells ours as well, and its END
  /// is awaited.
  [[nodiscard]] bool one_around_is_ending() const;
  /// The ends of the commands that were typed inside this one, the innermost first. They keep the commands.
  [[nodiscard]] std::vector<std::shared_ptr<CommandEnd>> ends_inside() const;
  void leave();

 private:
  Tab& tab_;
  const CommandRun& run_;
};

}  // namespace terminally
