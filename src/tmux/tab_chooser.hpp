#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/awaitable.hpp"
#include "base/files.hpp"
#include "base/keyed_mutex.hpp"
#include "tmux/server/call_time.hpp"
#include "tab/tab_turns.hpp"
#include "tmux/chosen_tab.hpp"
#include "tmux/commands.hpp"
#include "tmux/tabs.hpp"
#include "tmux/server/tmux_server.hpp"

namespace terminally {

/// Chooses the tab that a command runs in: the one that was named, when its turn comes; else the tab "main",
/// or one of its helper tabs while that is busy.
class TabChooser {
 public:
  /// All outlive it.
  TabChooser(const Config& config, TmuxServer& server, Tabs& tabs, TabTurns& turns, Commands& commands)
      : config_(config), server_(server), tabs_(tabs), turns_(turns), commands_(commands) {}

  /// Within the time of the call. A `cwd` that is not empty is where its shell is then, as after `cd`. Throws
  /// Error; nothing was run then.
  [[nodiscard]] Awaitable<ChosenTab> choose(std::optional<WindowId> window, std::string cwd, CallTime time);
  /// Whoever closes a tab knows: the next "main" needs no note.
  void forget_main(WindowId window);

 private:
  /// The tab that a call means as it comes, as far as that is known, and the shell in it.
  struct MeantPlace {
    TabPtr tab;
    std::optional<MeantShell> shell = std::nullopt;
  };
  [[nodiscard]] MeantPlace meant_place(std::optional<WindowId> window) const;
  struct MainTabs {
    TabPtr main;  ///< none: it is made on first use
    std::vector<TabPtr> helpers;
  };
  Awaitable<ChosenTab> choose_there(std::optional<WindowId> window, std::string cwd, CallTime time,
                                    MeantPlace meant);
  Awaitable<ChosenTab> choose_in_turn(std::optional<WindowId> window, std::string cwd, CallTime time);
  Awaitable<ChosenTab> choose_without_name(std::string cwd, CallTime time);
  Awaitable<ChosenTab> turn_in_tab(WindowId window, CallTime time);
  [[nodiscard]] MainTabs main_tabs() const;
  Awaitable<FileLock> turn_to_choose(CallTime time);
  Awaitable<std::optional<ChosenTab>> reserve_main(TabPtr main);
  Awaitable<std::optional<ChosenTab>> reserve(TabPtr tab);
  Awaitable<ChosenTab> take_new_tab(CreateTab create, CallTime time);
  Awaitable<ChosenTab> take_new_main(CallTime time);
  Awaitable<ChosenTab> take_helper(MainTabs known, std::string cwd, CallTime time);
  Awaitable<void> go_to_main(ChosenTab& chosen, std::string directory, CallTime time);

  const Config& config_;
  TmuxServer& server_;
  Tabs& tabs_;
  TabTurns& turns_;
  Commands& commands_;
  std::optional<WindowId> main_;  ///< the tab "main" that was found last
  std::shared_ptr<AsyncMutex> choosing_ = std::make_shared<AsyncMutex>();
};

}  // namespace terminally
