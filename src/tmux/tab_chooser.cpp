#include "tmux/tab_chooser.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>

#include "base/error.hpp"
#include "base/spawned.hpp"
#include "command/busy.hpp"
#include "command/command_run.hpp"
#include "command/nested_shell.hpp"
#include "command/prompt.hpp"
#include "system/inherited_lock.hpp"
#include "system/proc.hpp"
#include "system/work_directory.hpp"
#include "tab/place_choice.hpp"
#include "tmux/tab_directory.hpp"
#include "tmux/window_options.hpp"

namespace terminally {
namespace {

/// A shell that has just ended a command is at its prompt by then.
constexpr Milliseconds kComesBack = shell_times::kStep;
constexpr Milliseconds kLookAgain{20};
/// How long another process of ours may take to choose a tab, and to open it.
constexpr Milliseconds kChooses{5'000};
/// Within this time a process whose turn has come writes the time into the lock.
constexpr Milliseconds kSaysSo{200};

/// Known by the name that we gave it, so that renaming it takes it out: what only we start a tab with says
/// which that was.
bool is_helper(const Tab& tab) {
  return !tab.closed && tab.name.starts_with(std::string(kMainTab) + "-") &&
         process_has_environment(tab.pane_pid.pid, kHelperMark + ("=" + tab.name));
}

/// At the prompt of its own shell, with nothing of ours under way, and nobody types or reads there.
bool is_idle(const Tab& tab) {
  if (tab.person_types || !tab.runs.empty() || tab.files.running_nonce()) {
    return false;
  }
  const ShellLook look = look_at_shell(tab);
  return look.at == ShellAt::prompt && !other_reader(tab, look.foreground);
}

/// Its own shell is on the way to its prompt, from a command of ours that has just ended or through its
/// start-up files, or is just being started.
bool may_come_back(const Tab& tab) {
  const ShellLook look = look_at_shell(tab);
  return !tab.person_types && tab.runs.empty() && !tab.files.running_nonce() && comes_to_prompt(look.at) &&
         (look.at != ShellAt::prompt || !other_reader(tab, look.foreground));
}

/// A command of ours opened a shell there, or put one in the place of its own, and nobody types there.
bool has_our_nested_shell(const Tab& tab) {
  return !tab.person_types && !tab.runs.empty() && tab.runs.back()->shells().opened_one();
}

/// That shell waits at its prompt: what comes next runs in it.
bool is_in_our_nested_shell(const Tab& tab) {
  const Foreground foreground = look_at_foreground(tab.pane_pid);
  return has_our_nested_shell(tab) && tab.runs.back()->shells().opened(foreground) &&
         prompt_state(foreground, tab.tty) == Prompt::ready;
}

/// That shell is on its way to its prompt, from our last command in it.
bool comes_back_in_our_nested_shell(const Tab& tab) {
  return has_our_nested_shell(tab) && nested_shell_waits(tab);
}

std::string shell_cwd(const Tab& tab) {
  return process_directory(look_at_foreground(tab.pane_pid).shell_pid);
}

/// Takes the name from the lock of a process that stands still. Whoever does so holds a second lock of the
/// same file meanwhile, a record lock, or two might each take one: the second that of the process whose turn
/// came.
void pass_by(const std::filesystem::path& path) {
  const UniqueFd file(::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
  struct flock whole{};
  whole.l_type = F_WRLCK;
  struct stat info{};
  if (file && ::fcntl(file.get(), F_OFD_SETLK, &whole) == 0 && ::fstat(file.get(), &info) == 0 &&
      info.st_nlink > 0 && wall_clock_ms() - info.st_mtim.tv_sec * 1'000 >= kChooses.count()) {
    remove_file(path);
  }
}

std::vector<std::string> names_of(const std::vector<TabPtr>& tabs) {
  std::vector<std::string> names;
  names.reserve(tabs.size());
  for (const TabPtr& tab : tabs) {
    names.push_back(tab->name);
  }
  return names;
}

Error all_busy(std::size_t helpers) {
  return Error(ErrorCode::busy,
               "the tab \"main\" and its " + std::to_string(helpers) +
                   " helper tabs were busy for the whole time of this call; nothing was run. "
                   "Try again with more timeout_ms, or in a tab of its own: create_tab, then "
                   "this call with its window_id");
}

/// Names no cause: whether the call that has the turn waits for tmux or for a tab is not known here.
Error calls_before() {
  return Error(
      ErrorCode::busy,
      "a call without window_id that came before this one had found no tab yet when the time of this "
      "call was over; nothing was run. Try again with more timeout_ms, or name a tab by window_id: "
      "list_tabs has those there are, create_tab makes one");
}

}  // namespace

Awaitable<ChosenTab> TabChooser::choose(std::optional<WindowId> window, std::string cwd, CallTime time) {
  MeantPlace meant = meant_place(window);
  const Spawned<ChosenTab> place =
      co_await answer_by(time.returns_by(), choose_there(window, std::move(cwd), time, std::move(meant)));
  if (!place.is_over()) {
    throw Error(ErrorCode::tmux_timeout,
                "no tab was found for it in the time of this call: " + server_.what_held_up(time.arrived()) +
                    "; nothing was run. Try again later");
  }
  co_return place.result();
}

/// Where nothing stands before it, its turn comes at once.
TabChooser::MeantPlace TabChooser::meant_place(std::optional<WindowId> window) const {
  const auto named = window ? window : main_;
  const auto found = named ? tabs_.known().find(*named) : tabs_.known().end();
  if (found == tabs_.known().end() || (found->second->runs.empty() && !turns_.taken(*named))) {
    return {};
  }
  return {found->second, meant_shell(*found->second)};
}

Awaitable<ChosenTab> TabChooser::choose_there(std::optional<WindowId> window, std::string cwd, CallTime time,
                                              MeantPlace meant) {
  ChosenTab place = co_await choose_in_turn(window, cwd, time);
  if (place.tab == meant.tab) {
    place.meant_for = std::move(meant.shell);
  }
  if (!cwd.empty()) {
    co_await go_to_cwd(commands_, config_, place, std::move(cwd), time);
  }
  co_return place;
}

Awaitable<ChosenTab> TabChooser::choose_in_turn(std::optional<WindowId> window, std::string cwd,
                                                CallTime time) {
  if (window) {
    ChosenTab place;
    place.guard = co_await turn_in_tab(*window, time);
    place.tab = co_await tabs_.find_open(*window);
    co_return place;
  }
  for (;;) {
    ChosenTab place = co_await choose_without_name(cwd, time);
    if (!place.guard) {
      place.guard = co_await turn_in_tab(place.tab->window, time);
    }
    // It may have closed while its turn was awaited.
    if (!notice_if_closed(*place.tab) && !place.tab->closing) {
      co_return place;
    }
  }
}

Awaitable<TabTurns::Guard> TabChooser::turn_in_tab(WindowId window, CallTime time) {
  TabTurns::Turn turn = co_await turns_.lock_by(window, time.patience());
  if (!turn.guard) {
    const TabPtr tab = co_await tabs_.find_open(window);
    throw busy_with_calls(*tab, turn.ahead);
  }
  co_return std::move(turn.guard);
}

/// The main tab and its helpers, from what is known of all tabs.
TabChooser::MainTabs TabChooser::main_tabs() const {
  MainTabs found;
  for (const auto& [window, tab] : tabs_.known()) {
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

/// Calls choose one after the other, in the order they came. A place without a guard is a tab whose turn is
/// to be waited for.
Awaitable<ChosenTab> TabChooser::choose_without_name(std::string cwd, CallTime time) {
  const auto turn = co_await server_.turn(choosing_, time.patience());
  if (!turn) {
    throw calls_before();
  }
  co_await tabs_.refresh();
  server_.owner().restore_log_directory(server_.generation());
  const FileLock alone = co_await turn_to_choose(time);
  const auto settled_by = Clock::now() + kComesBack;
  for (;;) {
    const MainTabs known = main_tabs();
    if (!known.main) {
      ChosenTab place = co_await take_new_main();
      co_return place;
    }
    const Tab& main = *known.main;
    main_ = main.window;
    std::optional<FileLock> reserved = reserve_main(known.main);
    const MainSeen seen{.reserved = reserved.has_value(),
                        .elsewhere = is_elsewhere(main),
                        .called = turns_.taken(main.window),
                        .may_come_back = may_come_back(main) || comes_back_in_our_nested_shell(main)};
    const MainChoice choice = choose_main(seen, Clock::now() >= settled_by);
    if (choice == MainChoice::main) {
      ChosenTab place = co_await take_idle(known.main, std::move(*reserved));
      co_return place;
    }
    if (choice == MainChoice::main_in_turn) {
      ChosenTab place;
      place.tab = known.main;
      co_return place;
    }
    if (choice == MainChoice::helper) {
      ChosenTab place = co_await take_helper(known, cwd, time);
      if (place.tab) {
        co_return place;
      }
      if (Clock::now() >= time.patience()) {
        throw all_busy(known.helpers.size());
      }
    }
    co_await sleep_for(kLookAgain);
    if (main.person_types) {
      co_await tabs_.list_panes();
    }
  }
}

Awaitable<ChosenTab> TabChooser::take_new_tab(CreateTab create) {
  const CreatedTab created = co_await tabs_.create(std::move(create));
  ChosenTab place;
  place.guard = co_await turns_.lock(created.window_id);
  place.tab = co_await tabs_.find_open(created.window_id);
  place.reserved = reserve(place.tab).value_or(FileLock());
  co_return place;
}

/// A new `main` after another: a note says so, because a caller that names no tab expects the old one.
Awaitable<ChosenTab> TabChooser::take_new_main() {
  CreateTab create;
  create.name = kMainTab;
  ChosenTab place = co_await take_new_tab(std::move(create));
  if (main_) {
    const auto before = tabs_.known().find(*main_);
    const bool closed = before == tabs_.known().end() || notice_if_closed(*before->second);
    place.note = "the tab \"main\" that was used before, " + to_string(*main_) +
                 (closed ? ", is closed" : ", has another name now") +
                 ": this ran in a new one, which begins in " + first_directory(config_.project) +
                 ", without its variables and functions";
  }
  main_ = place.tab->window;
  co_return place;
}

Awaitable<ChosenTab> TabChooser::take_idle(TabPtr tab, FileLock reserved) {
  ChosenTab place;
  place.guard = co_await turns_.lock(tab->window);
  place.tab = std::move(tab);
  place.reserved = std::move(reserved);
  co_return place;
}

/// Other processes of ours choose among the same tabs, and open new ones under the same names. One that
/// stands still is not waited for: its lock is taken away, and all others have turns at the next one.
Awaitable<FileLock> TabChooser::turn_to_choose(CallTime time) {
  const std::filesystem::path path = server_.instance().runtime() / "choosing.lock";
  const auto began = Clock::now();
  std::error_code error;
  FileLock turn;
  while (std::filesystem::exists(server_.instance().runtime(), error)) {
    turn = FileLock::try_lock(path);
    if (turn && !turn.is_unlinked()) {
      ::futimens(turn.fd(), nullptr);  // since when it has it
      break;
    }
    turn.release();
    if (Clock::now() - began >= kSaysSo) {
      pass_by(path);
    }
    if (Clock::now() >= time.patience()) {
      throw calls_before();
    }
    co_await sleep_for(kLookAgain);
  }
  co_await tabs_.list_panes();
  co_return turn;
}

/// The lock of a tab that is idle as far as this process knows; nullopt: another process has taken it.
std::optional<FileLock> TabChooser::reserve(const TabPtr& tab) {
  commands_.look_after(tab);
  FileLock lock =
      tab->runs.empty() && !tab->command_lock ? try_lock_or_inherit(tab->files.lock_path()) : FileLock();
  return lock && !tab->files.running_nonce() ? std::optional(std::move(lock)) : std::nullopt;
}

/// As it is, or behind the shell that a command of ours opened in it, whose lock that command has.
std::optional<FileLock> TabChooser::reserve_main(const TabPtr& main) {
  if (turns_.taken(main->window)) {
    return std::nullopt;
  }
  std::optional<FileLock> reserved = is_idle(*main) ? reserve(main) : std::nullopt;
  if (!reserved && is_in_our_nested_shell(*main)) {
    reserved.emplace();
  }
  return reserved;
}

/// A place without a tab: all helper tabs are busy. It may have to be taken to `cwd` yet.
Awaitable<ChosenTab> TabChooser::take_helper(MainTabs known, std::string cwd, CallTime time) {
  std::string directory = shell_cwd(*known.main);
  if (!cwd.empty()) {
    directory = meant_directory(config_.project, cwd);
  }
  const std::string what = what_has(*known.main, turns_.taken(known.main->window));
  if (directory.empty()) {
    throw Error(
        ErrorCode::busy,
        "the tab \"main\" is busy (" + what +
            ") and its directory is gone, or cannot be read; nothing was run. Name a tab by window_id, or "
            "create_tab makes one");
  }
  const std::string why = "the tab \"main\" is busy: " + what;
  std::vector<std::pair<TabPtr, FileLock>> idle;
  std::vector<IdleHelper> seen;
  for (const TabPtr& tab : known.helpers) {
    auto reserved = !turns_.taken(tab->window) && is_idle(*tab) ? reserve(tab) : std::nullopt;
    if (reserved) {
      idle.emplace_back(tab, std::move(*reserved));
      seen.push_back({shell_cwd(*tab), tab->shell.last_end()});
    }
  }
  const HelperChoice choice = choose_helper(seen, known.helpers.size(), directory);
  std::pair<TabPtr, FileLock> chosen;
  if (choice.kind == HelperChoice::Kind::there || choice.kind == HelperChoice::Kind::go_there) {
    chosen = std::move(idle[choice.which]);
  }
  idle.clear();  // before anything takes a while: calls that name one of the others may have it
  ChosenTab place;
  if (choice.kind == HelperChoice::Kind::new_tab) {
    CreateTab create;
    create.name = next_helper_name(names_of(known.helpers));
    create.cwd = directory;
    create.helper = true;
    place = co_await take_new_tab(std::move(create));
  } else if (chosen.first) {
    place = co_await take_idle(std::move(chosen.first), std::move(chosen.second));
  }
  if (choice.kind == HelperChoice::Kind::go_there && cwd.empty()) {
    co_await go_to_main(place, directory, time);
  }
  if (place.tab) {
    place.note = why + "; this ran in its helper tab " + to_string(place.tab->window) + " (" +
                 place.tab->name + "), in " + directory +
                 "; variables of main, and an environment activated there, are not in it";
  }
  co_return place;
}

/// A helper tab that somebody has left in another directory.
Awaitable<void> TabChooser::go_to_main(ChosenTab& place, std::string directory, CallTime time) {
  const std::string why_not = co_await go_to(commands_, place, directory, false, time);
  if (!why_not.empty()) {
    throw Error(ErrorCode::busy, "the helper tab " + to_string(place.tab->window) +
                                     " could not be taken to " + directory + ", where the tab \"main\" is: " +
                                     why_not + ". Name a tab by window_id, or create_tab makes one");
  }
}

void TabChooser::forget_main(WindowId window) {
  if (main_ == window) {
    main_.reset();
  }
}

}  // namespace terminally
