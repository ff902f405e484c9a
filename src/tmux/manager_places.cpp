// Where a command runs: in the tab that was named, when its turn comes; else in the tab "main", or in one of
// its helper tabs while that is busy.

#include <algorithm>
#include <charconv>

#include "tmux/busy.hpp"
#include "tmux/manager_impl.hpp"
#include "tmux/proc.hpp"
#include "tmux/prompt.hpp"
#include "tmux/way_in.hpp"
#include "tmux/window_options.hpp"

namespace terminally {
namespace {

constexpr const char* kMainTab = "main";
constexpr std::size_t kMostHelpers = 8;
/// A shell that has just ended a command is at its prompt by then.
constexpr Milliseconds kComesBack{1'000};
constexpr Milliseconds kLookAgain{20};
/// How long another process of ours may take to choose a tab.
constexpr Milliseconds kChooses{2'000};
/// It answers in a few milliseconds.
constexpr Milliseconds kSilent{1'000};

/// Known by the name that we gave it, so that renaming it takes it out: what only we start a tab with says
/// which that was.
bool is_helper(const Tab& tab) {
  return !tab.closed && tab.name.starts_with(std::string(kMainTab) + "-") &&
         process_has_environment(tab.pane_pid.pid, kHelperMark + ("=" + tab.name));
}

/// At the prompt of its own shell, with nothing of ours under way, and nobody types there.
bool is_idle(const Tab& tab) {
  const Foreground foreground = look_at_foreground(tab.pane_pid);
  return !tab.typed_into && tab.runs.empty() && !tab.files.running_nonce() &&
         foreground.kind == Foreground::Kind::shell && prompt_state(foreground, tab.tty) == Prompt::ready;
}

/// Its own shell is on the way to its prompt, from a command of ours that has just ended or through its
/// start-up files, or is just being started.
bool may_come_back(const Tab& tab) {
  const Foreground foreground = look_at_foreground(tab.pane_pid);
  return !tab.typed_into && tab.runs.empty() && !tab.files.running_nonce() &&
         (is_starting(foreground, tab.pane_pid) || foreground.kind == Foreground::Kind::shell);
}

/// A shell that a command of ours opened there, or put in the place of its own, waits at its prompt, and
/// nobody types there: what comes next runs in it.
bool is_in_our_nested_shell(const Tab& tab) {
  const Foreground foreground = look_at_foreground(tab.pane_pid);
  return !tab.typed_into && !tab.runs.empty() && tab.runs.back()->opened_shell() &&
         tab.runs.back()->opened(foreground) && prompt_state(foreground, tab.tty) == Prompt::ready;
}

std::string shell_cwd(const Tab& tab) {
  return process_directory(look_at_foreground(tab.pane_pid).shell_pid);
}

std::string next_helper_name(const std::vector<std::shared_ptr<Tab>>& helpers) {
  for (std::size_t number = 2;; ++number) {
    std::string name = std::string(kMainTab) + "-" + std::to_string(number);
    if (std::ranges::none_of(helpers, [&name](const auto& tab) { return tab->name == name; })) {
      return name;
    }
  }
}

/// Not the user's function, or alias, of that name. For dash, which has no `builtin`, `command` says so; to
/// zsh that means an external program. In fish `\b` is another character.
std::string cd_command(const Tab& tab, const std::string& directory) {
  const std::optional<ShellKind> shell = look_at_foreground(tab.pane_pid).shell;
  if (shell == ShellKind::fish) {
    return "builtin cd -- " + fish_quoted(directory);
  }
  return (shell == ShellKind::posix ? R"(\command)" : R"(\builtin)") + (" cd -- " + posix_quoted(directory));
}

Error all_busy(std::size_t helpers) {
  return Error(ErrorCode::busy,
               "the tab \"main\" and its " + std::to_string(helpers) +
                   " helper tabs were busy for the whole time of this call; nothing was run. "
                   "Try again with more timeout_ms, or in a tab of its own: create_tab, then "
                   "this call with its window_id");
}

/// Whoever has that turn may wait for tmux, or for a tab: it is not known here.
Error calls_before() {
  return Error(
      ErrorCode::busy,
      "a call without window_id that came before this one had found no tab yet when the time of this "
      "call was over; nothing was run. Try again with more timeout_ms, or name a tab by window_id: "
      "list_tabs has those there are, create_tab makes one");
}

}  // namespace

/// What is known of why a call has not come to its end.
std::string TmuxManager::Impl::what_held_up(CallTime time) const {
  const Milliseconds silence = client_.silence_since(time.arrived());
  if (silence >= kSilent) {
    return "tmux left a question unanswered for " + std::to_string(silence.count()) +
           " ms (its server is stopped or overloaded)";
  }
  return "tmux left no question unanswered, and what it waited for is not known";
}

Error TmuxManager::Impl::out_of_time(CallTime time) const {
  return Error(ErrorCode::tmux_timeout,
               "this took longer than a call may: " + what_held_up(time) +
                   ". It is not known whether it was done, or will be; list_tabs and read_screen show it");
}

TmuxManager::Awaitable<TmuxManager::Impl::Place> TmuxManager::Impl::place_for(std::optional<WindowId> window,
                                                                              CallTime time) {
  std::optional<Place> place = co_await answer_by(time.returns_by(), choose_place(window, time));
  if (!place) {
    throw Error(ErrorCode::tmux_timeout, "no tab was found for it in the time of this call: " +
                                             what_held_up(time) + "; nothing was run. Try again later");
  }
  co_return std::move(*place);
}

TmuxManager::Awaitable<TmuxManager::Impl::Place> TmuxManager::Impl::choose_place(
    std::optional<WindowId> window, CallTime time) {
  if (window) {
    Place place;
    place.guard = co_await turn_in_tab(*window, time);
    place.tab = co_await open_tab(*window);
    co_return place;
  }
  for (;;) {
    Place place = co_await place_without_name(time);
    if (!place.guard) {
      place.guard = co_await turn_in_tab(place.tab->window, time);
    }
    // It may have closed while its turn was awaited.
    if (!notice_if_closed(*place.tab) && !place.tab->closing) {
      co_return place;
    }
  }
}

TmuxManager::Awaitable<KeyedMutex<WindowId>::Guard> TmuxManager::Impl::turn_in_tab(WindowId window,
                                                                                   CallTime time) {
  KeyedMutex<WindowId>::Turn turn = co_await tab_mutex_.lock_by(window, time.patience());
  if (!turn.guard) {
    const TabPtr tab = co_await open_tab(window);
    throw busy_with_calls(*tab, turn.ahead);
  }
  co_return std::move(turn.guard);
}

/// The main tab and its helpers, from what is known of all tabs.
TmuxManager::Impl::MainTabs TmuxManager::Impl::main_tabs() {
  MainTabs found;
  for (const auto& [window, tab] : tabs_) {
    if (notice_if_closed(*tab) || tab->closing) {
      continue;
    }
    if (tab->name == kMainTab && !found.main) {
      found.main = tab;
    } else if (is_helper(*tab)) {
      found.helpers.push_back(tab);
    }
  }
  return found;
}

/// One call after the other, in the order they came. A place without a guard is a tab whose turn is to be
/// waited for.
TmuxManager::Awaitable<TmuxManager::Impl::Place> TmuxManager::Impl::place_without_name(CallTime time) {
  const auto turn = co_await turn_at_tmux(choosing_tab_, time.patience());
  if (!turn) {
    throw calls_before();
  }
  co_await refresh_tabs();
  restore_log_directory();
  const FileLock alone = co_await turn_to_choose(time);
  const auto settled_by = Clock::now() + kComesBack;
  for (;;) {
    const MainTabs known = main_tabs();
    if (!known.main) {
      CreateTab create;
      create.name = kMainTab;
      Place place = co_await place_in_new_tab(std::move(create));
      co_return place;
    }
    const Tab& main = *known.main;
    const bool locked = tab_mutex_.locked(main.window);
    auto reserved = !locked && is_idle(main) ? reserve(known.main) : std::nullopt;
    if (!reserved && !locked && is_in_our_nested_shell(main)) {
      reserved.emplace();
    }
    if (reserved) {
      Place place = co_await place_in_idle(known.main, std::move(*reserved));
      co_return place;
    }
    if (is_elsewhere(main)) {
      Place place;
      place.tab = known.main;
      co_return place;
    }
    if (locked || !may_come_back(main) || Clock::now() >= settled_by) {
      Place place = co_await place_in_helper(known, time);
      if (place.tab) {
        co_return place;
      }
      if (Clock::now() >= time.patience()) {
        throw all_busy(known.helpers.size());
      }
    }
    co_await sleep_for(kLookAgain);
    if (main.typed_into) {
      co_await list_panes();
    }
  }
}

TmuxManager::Awaitable<TmuxManager::Impl::Place> TmuxManager::Impl::place_in_new_tab(CreateTab create) {
  const CreatedTab created = co_await create_tab(std::move(create));
  Place place;
  place.guard = co_await tab_mutex_.lock(created.window_id);
  place.tab = co_await open_tab(created.window_id);
  place.reserved = reserve(place.tab).value_or(FileLock());
  co_return place;
}

TmuxManager::Awaitable<TmuxManager::Impl::Place> TmuxManager::Impl::place_in_idle(TabPtr tab,
                                                                                  FileLock reserved) {
  Place place;
  place.guard = co_await tab_mutex_.lock(tab->window);
  place.tab = std::move(tab);
  place.reserved = std::move(reserved);
  co_return place;
}

/// Other processes of ours choose among the same tabs, and open new ones under the same names. One that
/// stands still is not waited for.
TmuxManager::Awaitable<FileLock> TmuxManager::Impl::turn_to_choose(CallTime time) {
  const auto give_up_at = std::min(time.patience(), Clock::now() + kChooses);
  std::error_code error;
  FileLock turn;
  while (!turn && std::filesystem::exists(instance_.runtime(), error)) {
    turn = FileLock::try_lock(instance_.runtime() / "choosing.lock");
    if (turn || Clock::now() >= give_up_at) {
      break;
    }
    co_await sleep_for(kLookAgain);
  }
  co_await list_panes();
  co_return turn;
}

/// The lock of a tab that is idle as far as this process knows; nullopt: another process has taken it.
std::optional<FileLock> TmuxManager::Impl::reserve(const TabPtr& tab) {
  look_after(tab);
  FileLock lock =
      tab->runs.empty() && !tab->command_lock ? FileLock::try_lock(tab->files.lock_path()) : FileLock();
  return lock && !tab->files.running_nonce() ? std::optional(std::move(lock)) : std::nullopt;
}

/// None: all are busy.
TmuxManager::Awaitable<TmuxManager::Impl::Place> TmuxManager::Impl::place_in_helper(MainTabs known,
                                                                                    CallTime time) {
  const std::string directory = shell_cwd(*known.main);
  const std::string what = what_has(*known.main, tab_mutex_.locked(known.main->window));
  if (directory.empty()) {
    throw Error(
        ErrorCode::busy,
        "the tab \"main\" is busy (" + what +
            ") and its directory is gone, or cannot be read; nothing was run. Name a tab by window_id, or "
            "create_tab makes one");
  }
  const std::string why = "the tab \"main\" is busy: " + what;
  std::vector<std::pair<TabPtr, FileLock>> idle;
  for (const TabPtr& tab : known.helpers) {
    auto reserved = !tab_mutex_.locked(tab->window) && is_idle(*tab) ? reserve(tab) : std::nullopt;
    if (reserved) {
      idle.emplace_back(tab, std::move(*reserved));
    }
  }
  Place place;
  const auto there =
      std::ranges::find_if(idle, [&](const auto& tab) { return shell_cwd(*tab.first) == directory; });
  if (there != idle.end()) {
    place = co_await place_in_idle(there->first, std::move(there->second));
  } else if (known.helpers.size() < kMostHelpers) {
    CreateTab create;
    create.name = next_helper_name(known.helpers);
    create.cwd = directory;
    create.helper = true;
    place = co_await place_in_new_tab(std::move(create));
  } else if (!idle.empty()) {
    const auto longest =
        std::ranges::min_element(idle, {}, [](const auto& tab) { return tab.first->last_end; });
    place = co_await place_in_idle(longest->first, std::move(longest->second));
    co_await go_to(place, directory, time);
  }
  if (place.tab) {
    place.note = why + "; this ran in its helper tab " + to_string(place.tab->window) + " (" +
                 place.tab->name + "), in " + directory;
  }
  co_return place;
}

/// A helper tab that somebody has left in another directory.
TmuxManager::Awaitable<void> TmuxManager::Impl::go_to(Place& place, std::string directory, CallTime time) {
  const TabPtr tab = place.tab;
  Begin what;
  what.command = cd_command(*tab, directory);
  what.who = "terminally-mcp";
  what.reserved = std::move(place.reserved);
  const RunPtr run = co_await begin(tab, time, std::move(what));
  co_await run->ends_by(time.short_patience());
  if (shell_cwd(*tab) != directory) {
    throw Error(ErrorCode::busy, "the helper tab " + to_string(tab->window) + " could not be taken to " +
                                     directory +
                                     ", where the tab \"main\" is; nothing was run. Name a tab by "
                                     "window_id, or create_tab makes one");
  }
}

}  // namespace terminally
