// How the shell of a tab comes to a directory.
#include "tmux/tabs/tab_directory.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>

#include "base/descriptors.hpp"
#include "base/error.hpp"
#include "command/command_run.hpp"
#include "command/prompt.hpp"
#include "shell/shells.hpp"
#include "system/proc.hpp"
#include "system/work_directory.hpp"
#include "tmux/tabs/commands.hpp"
#include "tmux/tabs/tab_look.hpp"

namespace terminally {
namespace {

std::string no_reason(std::optional<int> code) {
  return "the shell could not go there" + (code ? " (exit code " + std::to_string(*code) + ")" : "");
}

/// Asked only once a shell came back from it: what hangs held up that shell, and not this process.
std::string why_not_entered(const std::string& directory, std::optional<int> code) {
  const UniqueFd opened(::open(directory.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  const bool enters = opened && ::access(directory.c_str(), X_OK) == 0;
  return enters ? no_reason(code) : std::strerror(errno);
}

constexpr const char* kNothing = "; nothing was run";

std::string not_back(bool has_moved) {
  return has_moved ? "the shell went there, but what it runs at a change of directory (a hook such as "
                     "zsh's chpwd) took all the time of this call, and is being ended; the command was not "
                     "run: call again"
                   : std::string("its shell did not come back from `cd` in time") + kNothing;
}

/// The shell in a tab that the next command goes to, when that may be typed. The tab's lock is then in
/// `place`, as if it had been reserved, unless another shell in the tab has it.
Awaitable<Foreground> shell_of(Commands& commands, ChosenTab& place, CallTime time) {
  const TabPtr tab = place.tab;
  co_await commands.take_tab_or_refuse(tab, time, std::move(place.reserved));
  place.reserved = tab->runs.empty() ? std::move(tab->command_lock) : FileLock();
  co_return co_await wait_for_prompt(*tab, time.short_patience());
}

}  // namespace

Awaitable<std::string> go_to(Commands& commands, ChosenTab& place, std::string directory, bool here_only,
                             CallTime time) {
  const TabPtr tab = place.tab;
  const Foreground shell = co_await shell_of(commands, place, time);
  const bool is_here = reads_our_files(shell);
  if (!is_here && here_only) {
    co_return "the shell in this tab is behind " + shell.name + ": give an absolute path there" + kNothing;
  }
  if (is_here && says_it_is_in(tidy_path(directory), shell, *tab)) {
    place.directory = tidy_path(directory);
    co_return "";
  }
  Commands::Begin what;
  what.command = cd_command(is_here ? shell.shell : std::nullopt, directory);
  what.who = kOurselves;
  what.reserved = std::move(place.reserved);
  what.meant_for = place.meant_for;
  const std::string before = process_cwd(shell.pid);
  const RunPtr run = co_await commands.begin(tab, time, std::move(what));
  const bool came_back = co_await ended_or_called_off(run, time.short_patience(), commands.whose_cancel());
  if (!came_back) {
    co_return not_back(is_here && process_cwd(shell.pid) != before);
  }
  const std::optional<int> code = run->record().exit_code;
  if (code != 0) {
    co_return (is_here ? why_not_entered(directory, code) : no_reason(code)) + kNothing;
  }
  if (is_here) {
    place.directory = process_cwd(shell.pid);
  }
  co_return "";
}

Awaitable<void> go_to_cwd(Commands& commands, const Config& config, ChosenTab& place, std::string cwd,
                          CallTime time) {
  std::string directory = meant_directory(config.project, cwd);
  const bool here_only = !cwd.starts_with('/');
  const std::string why_not = co_await go_to(commands, place, std::move(directory), here_only, time);
  if (!why_not.empty()) {
    throw Error(ErrorCode::invalid_argument, "cwd: \"" + cwd + "\": " + why_not);
  }
}

}  // namespace terminally
