#pragma once

#include <string>
#include <vector>

#include "base/awaitable.hpp"
#include "base/files.hpp"
#include "command/command_run.hpp"
#include "config.hpp"
#include "tab/tab.hpp"
#include "tmux/server/call_time.hpp"
#include "tmux/tabs/tab_table.hpp"

namespace terminally {

/// The commands of this process: begun one at a time in a tab, and looked after; and those that no process
/// looks after any more.
class Commands {
 public:
  /// Both outlive it.
  Commands(const Config& config, RunContext& context) : config_(config), context_(context) {}

  struct Begin {
    std::string command;
    std::string who;
    std::string task_key = {};  // NOLINT(readability-redundant-member-init): g++ wants it named
    Clock::time_point deadline = Clock::time_point::max();
    bool spares_unseen = false;  ///< see CommandRun::spare_unseen
    FileLock reserved = {};      // NOLINT(readability-redundant-member-init): g++ wants it named
    std::optional<MeantShell> meant_for = std::nullopt;
    std::filesystem::path input = {};  // NOLINT(readability-redundant-member-init): g++ wants it named
    std::string cwd = {};  // NOLINT(readability-redundant-member-init): where its shell must be, if anywhere
  };
  /// For whoever has the turn in the tab. On return it has begun, or has ended already, or its time was over
  /// when it had been typed. Throws Error(busy) where something else has the tab; nothing was run then.
  [[nodiscard]] Awaitable<RunPtr> begin(TabPtr tab, CallTime time, Begin what);

  /// Looks after the commands of a tab that no process looks after, nested ones of their own: those that have
  /// ended since are recorded, the others followed. Costs next to nothing where there are none. A guest only
  /// records what has ended.
  void look_after(const TabPtr& tab);

  /// Other processes of ours may type into a nested shell as well, whose tab is locked by whoever looks after
  /// what opened it. None in the tab's own shell, where that lock is enough.
  [[nodiscard]] Awaitable<FileLock> turn_to_type(TabPtr tab, CallTime time);
  /// On return the tab's lock is held, `reserved` or another, unless a nested shell is what has it.
  [[nodiscard]] Awaitable<void> take_tab_or_refuse(TabPtr tab, CallTime time, FileLock reserved = {});

  /// A guest is a person at another terminal: their C-c there is no client's.
  [[nodiscard]] Reason whose_cancel() const;

 private:
  [[nodiscard]] std::vector<RunPtr> take_over(const TabPtr& tab);
  Awaitable<void> wait_or_refuse(Tab& tab, CallTime time);
  Awaitable<void> wait_or_refuse_unless_nested(Tab& tab, CallTime time);
  Awaitable<void> start(RunPtr run, FileLock turn, CallTime time, std::filesystem::path input,
                        std::optional<MeantShell> meant_for);
  void follow(const RunPtr& run);

  const Config& config_;
  RunContext& context_;
};

}  // namespace terminally
