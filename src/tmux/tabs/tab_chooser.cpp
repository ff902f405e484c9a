#include "tmux/tabs/tab_chooser.hpp"

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
#include "tmux/tabs/tab_directory.hpp"
#include "tmux/tabs/window_options.hpp"

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
bool is_helper(const Tab& tab, const std::string& main) {
  return !tab.closed && is_helper_name(tab.name, main) &&
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

Error all_busy(const std::string& main, std::size_t helpers) {
  return Error(ErrorCode::busy,
               "the tab \"" + main + "\" and its " + std::to_string(helpers) +
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

/// People work in "main" beside its client, and an unnamed instance has one server.
bool TabChooser::has_one_main() const {
  return config_.guest || !server_.owner().durable();
}

std::string TabChooser::who(const std::string& client) {
  return has_one_main() ? client : own_mains_.who(client);
}

bool TabChooser::is_main(const Tab& tab) const {
  return tab.name == kMainTab ||
         std::ranges::any_of(mains_, [&tab](const auto& main) { return main.second == tab.window; });
}

Awaitable<ChosenTab> TabChooser::choose(WantedPlace wanted, CallTime time) {
  MeantPlace meant = meant_place(wanted);
  const Spawned<ChosenTab> place =
      co_await answer_by(time.returns_by(), choose_there(std::move(wanted), time, std::move(meant)));
  if (!place.is_over()) {
    throw Error(ErrorCode::tmux_timeout,
                "no tab was found for it in the time of this call: " + server_.what_held_up(time.arrived()) +
                    "; nothing was run. Try again later");
  }
  co_return place.result();
}

/// Where nothing stands before it, its turn comes at once.
TabChooser::MeantPlace TabChooser::meant_place(const WantedPlace& wanted) const {
  std::optional<WindowId> named = wanted.window;
  const auto name = has_one_main() ? std::optional<std::string>(kMainTab) : own_mains_.known(wanted.client);
  if (const auto main = mains_.find(name.value_or("")); !named && main != mains_.end()) {
    named = main->second;
  }
  const auto found = named ? tabs_.known().find(*named) : tabs_.known().end();
  if (found == tabs_.known().end() || (found->second->runs.empty() && !turns_.taken(*named))) {
    return {};
  }
  return {found->second, meant_shell(*found->second)};
}

Awaitable<ChosenTab> TabChooser::choose_there(WantedPlace wanted, CallTime time, MeantPlace meant) {
  ChosenTab place = co_await choose_in_turn(wanted, time);
  if (place.tab == meant.tab) {
    place.meant_for = std::move(meant.shell);
  }
  if (!wanted.cwd.empty()) {
    co_await go_to_cwd(commands_, config_, place, std::move(wanted.cwd), time);
  }
  co_return place;
}

Awaitable<ChosenTab> TabChooser::choose_in_turn(WantedPlace wanted, CallTime time) {
  if (wanted.window) {
    ChosenTab place = co_await turn_in_tab(*wanted.window, time);
    place.tab = co_await tabs_.find_open(*wanted.window);  // it may have closed while its turn was awaited
    co_return place;
  }
  for (;;) {
    ChosenTab place = co_await choose_without_name(wanted, time);
    if (!place.guard) {
      place = co_await turn_in_tab(place.tab->window, time);
    }
    if (!notice_if_closed(*place.tab) && !place.tab->closing) {
      co_return place;
    }
  }
}

Awaitable<ChosenTab> TabChooser::turn_in_tab(WindowId window, CallTime time) {
  AsyncMutex::Turn arrived = co_await turns_.arrive(window, time.patience());
  ChosenTab place;
  place.tab = co_await tabs_.find_open(window);
  if (!arrived.guard) {
    throw busy_with_calls(*place.tab, arrived.ahead);
  }
  TabTurns::Turn turn = co_await turns_.lock_by(place.tab, std::move(arrived.guard), time.patience());
  if (!turn.guard) {
    throw busy_with_calls(*place.tab, turn.ahead);
  }
  place.guard = std::move(turn.guard);
  co_return place;
}

/// The main tab and its helpers, from what is known of all tabs.
TabChooser::MainTabs TabChooser::main_tabs(std::string name) const {
  MainTabs found;
  found.name = std::move(name);
  for (const auto& [window, tab] : tabs_.known()) {
    if (notice_if_closed(*tab) || tab->closing) {
      continue;
    }
    if (tab->name == found.name && !found.main) {
      found.main = tab;
    } else if (is_helper(*tab, found.name)) {
      found.helpers.push_back(tab);
    }
  }
  return found;
}

/// Calls choose one after the other, in the order they came. A place without a guard is a tab whose turn is
/// to be waited for.
Awaitable<ChosenTab> TabChooser::choose_without_name(WantedPlace wanted, CallTime time) {
  const auto turn = co_await server_.turn(choosing_, time.patience());
  if (!turn) {
    throw calls_before();
  }
  co_await tabs_.refresh();
  server_.owner().restore_log_directory(server_.generation());
  const FileLock alone = co_await turn_to_choose(time);
  const auto settled_by = Clock::now() + kComesBack;
  const std::string name = has_one_main() ? kMainTab : own_mains_.name_for(wanted.client);
  for (;;) {
    const MainTabs known = main_tabs(name);
    if (!known.main) {
      ChosenTab place = co_await take_new_main(name, time);
      co_return place;
    }
    const Tab& main = *known.main;
    mains_[name] = main.window;
    std::optional<ChosenTab> reserved = co_await reserve_main(known.main);
    const MainSeen seen{.reserved = reserved.has_value(),
                        .elsewhere = is_elsewhere(main),
                        .called = turns_.taken(main.window),
                        .may_come_back = may_come_back(main) || comes_back_in_our_nested_shell(main)};
    const MainChoice choice = choose_main(seen, Clock::now() >= settled_by);
    if (choice == MainChoice::main) {
      co_return std::move(*reserved);
    }
    if (choice == MainChoice::main_in_turn) {
      ChosenTab place;
      place.tab = known.main;
      co_return place;
    }
    if (choice == MainChoice::helper) {
      ChosenTab place = co_await take_helper(known, wanted.cwd, time);
      if (place.tab) {
        co_return place;
      }
      if (Clock::now() >= time.patience()) {
        throw all_busy(name, known.helpers.size());
      }
    }
    co_await sleep_for(kLookAgain);
    if (main.person_types) {
      co_await tabs_.list_panes();
    }
  }
}

Awaitable<ChosenTab> TabChooser::take_new_tab(CreateTab create, CallTime time) {
  const CreatedTab created = co_await tabs_.create(std::move(create));
  const TabPtr tab = co_await tabs_.find_open(created.window_id);
  std::optional<ChosenTab> reserved = co_await reserve(tab);
  if (reserved) {
    co_return std::move(*reserved);
  }
  ChosenTab place = co_await turn_in_tab(tab->window, time);  // behind a call that names it
  co_return place;
}

/// A new `main` after another: a note says so, because a caller that names no tab expects the old one. So
/// does one for a client whose `main` is not called so.
Awaitable<ChosenTab> TabChooser::take_new_main(std::string name, CallTime time) {
  CreateTab create;
  create.name = name;
  ChosenTab place = co_await take_new_tab(std::move(create), time);
  if (const auto known = mains_.find(name); known != mains_.end()) {
    const auto before = tabs_.known().find(known->second);
    const bool closed = before == tabs_.known().end() || notice_if_closed(*before->second);
    place.note = "the tab \"" + name + "\" that was used before, " + to_string(known->second) +
                 (closed ? ", is closed" : ", has another name now") +
                 ": this ran in a new one, which begins in " + first_directory(config_.project) +
                 ", without its variables and functions";
  } else if (name != kMainTab) {
    const std::string owner = own_mains_.owner_of(kMainTab);
    place.note = "the tab \"main\" of this instance is " + (owner.empty() ? "another client" : owner) +
                 "'s: calls that name no tab run in a tab of your own, \"" + name + "\"";
  }
  mains_[name] = place.tab->window;
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

/// A tab that is idle as far as this process knows, with the turn in it and its lock; nullopt: another call
/// has it, or another process.
Awaitable<std::optional<ChosenTab>> TabChooser::reserve(TabPtr tab) {
  commands_.look_after(tab);
  std::optional<ChosenTab> reserved;
  if (!tab->runs.empty() || tab->command_lock) {
    co_return reserved;
  }
  TabTurns::Guard guard = co_await turns_.try_lock(tab);
  FileLock lock = guard ? try_lock_or_inherit(tab->files.lock_path()) : FileLock();
  if (lock && !tab->files.running_nonce()) {
    reserved.emplace();
    reserved->tab = std::move(tab);
    reserved->guard = std::move(guard);
    reserved->reserved = std::move(lock);
  }
  co_return reserved;
}

/// As it is, or behind the shell that a command of ours opened in it, whose lock that command has.
Awaitable<std::optional<ChosenTab>> TabChooser::reserve_main(TabPtr main) {
  std::optional<ChosenTab> reserved;
  if (is_idle(*main)) {
    reserved = co_await reserve(main);
  }
  if (!reserved && is_in_our_nested_shell(*main)) {
    TabTurns::Guard guard = co_await turns_.try_lock(main);
    if (guard) {
      reserved.emplace();
      reserved->tab = std::move(main);
      reserved->guard = std::move(guard);
    }
  }
  co_return reserved;
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
        "the tab \"" + known.name + "\" is busy (" + what +
            ") and its directory is gone, or cannot be read; nothing was run. Name a tab by window_id, or "
            "create_tab makes one");
  }
  const std::string why = "the tab \"" + known.name + "\" is busy: " + what;
  std::vector<ChosenTab> idle;
  std::vector<IdleHelper> seen;
  for (const TabPtr& tab : known.helpers) {
    std::optional<ChosenTab> reserved;
    if (is_idle(*tab)) {
      reserved = co_await reserve(tab);
    }
    if (reserved) {
      idle.push_back(std::move(*reserved));
      seen.push_back({shell_cwd(*tab), tab->shell.last_end()});
    }
  }
  const HelperChoice choice = choose_helper(seen, known.helpers.size(), directory);
  ChosenTab place;
  if (choice.kind == HelperChoice::Kind::there || choice.kind == HelperChoice::Kind::go_there) {
    place = std::move(idle[choice.which]);
  }
  idle.clear();  // before anything takes a while: calls that name one of the others may have it
  if (choice.kind == HelperChoice::Kind::new_tab) {
    CreateTab create;
    create.name = next_helper_name(known.name, names_of(known.helpers));
    create.cwd = directory;
    create.helper = true;
    place = co_await take_new_tab(std::move(create), time);
  }
  if (choice.kind == HelperChoice::Kind::go_there && cwd.empty()) {
    co_await go_to_main(place, known, directory, time);
  }
  if (place.tab) {
    place.note = why + "; this ran in its helper tab " + to_string(place.tab->window) + " (" +
                 place.tab->name + "), in " + directory + "; variables of " + known.name +
                 ", and an environment activated there, are not in it";
  }
  co_return place;
}

/// A helper tab that somebody has left in another directory.
Awaitable<void> TabChooser::go_to_main(ChosenTab& place, MainTabs known, std::string directory,
                                       CallTime time) {
  const std::string why_not = co_await go_to(commands_, place, directory, false, time);
  if (!why_not.empty()) {
    throw Error(ErrorCode::busy, "the helper tab " + to_string(place.tab->window) +
                                     " could not be taken to " + directory + ", where the tab \"" +
                                     known.name + "\" is: " + why_not +
                                     ". Name a tab by window_id, or create_tab makes one");
  }
}

void TabChooser::forget_main(WindowId window) {
  std::erase_if(mains_, [window](const auto& main) { return main.second == window; });
}

}  // namespace terminally
