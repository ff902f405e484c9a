#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/awaitable.hpp"
#include "base/files.hpp"
#include "base/keyed_mutex.hpp"
#include "instance/own_mains.hpp"
#include "tab/tab_turns.hpp"
#include "tmux/server/call_time.hpp"
#include "tmux/server/tmux_server.hpp"
#include "tmux/tabs/chosen_tab.hpp"
#include "tmux/tabs/commands.hpp"
#include "tmux/tabs/tabs.hpp"

namespace terminally {

/// Chooses the tab that a command runs in: the one that was named, when its turn comes; else the client's own
/// `main` (OwnMains), or one of its helper tabs while that is busy.
class TabChooser {
 public:
  /// All outlive it.
  TabChooser(const Config& config, TmuxServer& server, Tabs& tabs, TabTurns& turns, Commands& commands)
      : config_(config),
        server_(server),
        tabs_(tabs),
        turns_(turns),
        commands_(commands),
        own_mains_(server.instance()) {}

  /// Within the time of the call. Throws Error; nothing was run then.
  [[nodiscard]] Awaitable<ChosenTab> choose(WantedPlace wanted, CallTime time);
  /// Whoever closes a tab knows: the next `main` needs no note.
  void forget_main(WindowId window);
  /// The client has gone: the next server of it finds its `main` free.
  void leave_mains() { own_mains_.leave(); }
  /// The client of a call, for the record of its command.
  [[nodiscard]] std::string who(const std::string& client);
  /// Whether calls that name no tab may run in it.
  [[nodiscard]] bool is_main(const Tab& tab) const;

 private:
  /// The tab that a call means as it comes, as far as that is known, and the shell in it.
  struct MeantPlace {
    TabPtr tab;
    std::optional<MeantShell> shell = std::nullopt;
  };
  [[nodiscard]] bool has_one_main() const;
  [[nodiscard]] MeantPlace meant_place(const WantedPlace& wanted) const;
  struct MainTabs {
    std::string name;
    TabPtr main;  ///< none: it is made on first use
    std::vector<TabPtr> helpers;
  };
  Awaitable<ChosenTab> choose_there(WantedPlace wanted, CallTime time, MeantPlace meant);
  Awaitable<ChosenTab> choose_in_turn(WantedPlace wanted, CallTime time);
  Awaitable<ChosenTab> choose_without_name(WantedPlace wanted, CallTime time);
  Awaitable<ChosenTab> turn_in_tab(WindowId window, CallTime time);
  [[nodiscard]] MainTabs main_tabs(std::string name) const;
  Awaitable<FileLock> turn_to_choose(CallTime time);
  Awaitable<std::optional<ChosenTab>> reserve_main(TabPtr main);
  Awaitable<std::optional<ChosenTab>> reserve(TabPtr tab);
  Awaitable<ChosenTab> take_new_tab(CreateTab create, CallTime time);
  Awaitable<ChosenTab> take_new_main(std::string name, CallTime time);
  Awaitable<ChosenTab> take_helper(MainTabs known, std::string cwd, CallTime time);
  Awaitable<void> go_to_main(ChosenTab& chosen, MainTabs known, std::string directory, CallTime time);

  const Config& config_;
  TmuxServer& server_;
  Tabs& tabs_;
  TabTurns& turns_;
  Commands& commands_;
  OwnMains own_mains_;
  std::map<std::string, WindowId> mains_;  ///< by name, the tabs that were found last
  std::shared_ptr<AsyncMutex> choosing_ = std::make_shared<AsyncMutex>();
};

}  // namespace terminally
