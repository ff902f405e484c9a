// What has the foreground of a tab, as one of its commands sees it.

#include "command/evidence.hpp"

#include "shell/shell_text.hpp"
#include "system/keyboard_wait.hpp"
#include "system/terminal.hpp"
#include "tab/keyboard_look.hpp"

namespace terminally {

SeenForeground Evidence::foreground() const {
  using Who = SeenForeground::Who;
  if (is_left_by_its_shell(*this)) {
    return {};
  }
  const Foreground in_tab = look_at_foreground(tab_.pane_pid);
  const auto [tty, now] = end_of_keys(tab_.tty, in_tab);
  SeenForeground seen;
  seen.group = now.group;
  const bool person_types = now.pid == record_->shell_pid;
  const bool its_shell =
      now.kind == Foreground::Kind::shell || (now.kind == Foreground::Kind::nested && person_types);
  if (its_shell && !shells_.opened(in_tab)) {
    seen.who = Who::its_shell;
  } else if (now.kind == Foreground::Kind::nothing) {
    seen.who = Who::nobody;
  } else if (now.is_shell() && shells_.opened(in_tab)) {
    seen.who = Who::opened_shell;
  } else {
    seen.who = now.kind == Foreground::Kind::gateway ? Who::gateway : Who::program;
  }
  if (seen.who == Who::its_shell || person_types) {
    const Prompt prompt = prompt_state(now, tty);
    seen.at_prompt = seen.who == Who::its_shell && prompt == Prompt::ready;
    seen.its_shell_waits = person_types && prompt != Prompt::not_yet;
  }
  const auto mode = terminal_mode(tty);
  seen.keys_signal = !mode || mode->keys_signal;
  const Requested& requested = state_.requested;
  const bool over = requested.spares_unseen && Clock::now() >= requested.deadline;
  seen.unseen = over && !typed_.reporter.passed_on && look_at_keyboard(tab_, in_tab).unseen;
  const bool ends_for_its_shell = seen.who == Who::program || seen.who == Who::gateway;
  seen.shell_goes_on = ends_for_its_shell && state_.life.termination().has_pressed() &&
                       !is_one_job(record_->command);  // not read at each look of one that nobody ends
  seen.deaf_fork = seen.who == Who::program && ignores_sigterm_before_exec(now);
  seen.missed_key = acts_.found().key_ticks != 0 && was_just_started(now.group, acts_.found().key_ticks);
  return seen;
}

}  // namespace terminally
