// Decides who waits for a tab's keyboard, and for what, from the mode of its terminal and what its processes
// do.
#include "tab/keyboard_look.hpp"

#include <string>

#include "log/unfinished_line.hpp"
#include "system/keyboard_wait.hpp"
#include "system/terminal.hpp"

namespace terminally {
namespace {

using Kind = AwaitingInput::Kind;

/// A terminal of the tab: its own, or one that a program in it made.
struct Place {
  std::string tty;
  Foreground foreground;
};

/// What a far side waits for is not to be seen here.
bool leads_elsewhere(const Foreground& foreground) {
  return foreground.kind == Foreground::Kind::gateway && !foreground.runs_program;
}

/// Keys are passed on as they come: who reads them in the end decides. A shell at its prompt there is looked
/// for by CommandShells.
KeyboardLook verdict_on_keys(const Tab& tab, const Place& place, const GroupWait& group, bool echo) {
  const Foreground& foreground = place.foreground;
  if (leads_elsewhere(foreground)) {
    return {.unseen = true};
  }
  if (group.wait == TtyWait::no) {
    return {};
  }
  const bool shell = foreground.shell && group.pid == foreground.pid;
  const bool edits =
      (shell && !echo) || (has_line_editor(group.pid) && !unfinished_line(tab.log, tab.cols).empty());
  return {.kind = edits ? Kind::line : Kind::program, .pid = group.pid};
}

KeyboardLook verdict(const Tab& tab, const Place& place, bool runs_ours) {
  const auto mode = terminal_mode(place.tty);
  if (!mode) {
    return {.unseen = true};
  }
  const dev_t terminal = terminal_device(place.tty);
  const bool gateway = place.foreground.kind == Foreground::Kind::gateway;
  const auto inner = mode->line ? std::nullopt : inner_terminal(place.foreground, terminal);
  if (inner) {
    const bool at_prompt = leads_elsewhere(place.foreground) && !runs_ours &&
                           prompt_state(place.foreground, place.tty) == Prompt::ready;
    return at_prompt ? KeyboardLook() : verdict(tab, {inner->tty, inner->foreground}, runs_ours);
  }
  const GroupWait group = group_wait(place.foreground, terminal, mode->line && mode->echo);
  if (!mode->line) {
    return verdict_on_keys(tab, place, group, mode->echo);
  }
  if (!mode->echo) {
    // su and sudo are another user's: their mode is all that can be seen.
    const int pid = group.pid != 0 ? group.pid : place.foreground.pid;
    return group.wait != TtyWait::no || gateway ? KeyboardLook{.kind = Kind::password, .pid = pid}
                                                : KeyboardLook();
  }
  // A server may have the keyboard among what it listens to; a program that asks leaves its question open.
  const bool among = group.wait == TtyWait::among;
  const bool far = leads_elsewhere(place.foreground);  // `ssh HOST CMD` passes on whatever is typed
  const bool asks = among && !far && !unfinished_line(tab.log, tab.cols).empty();
  return group.wait == TtyWait::only || asks
             ? KeyboardLook{.kind = Kind::line, .pid = group.pid}
             : KeyboardLook{.unseen = group.wait == TtyWait::unknown || (among && far)};
}

/// Whether all that a program waits for are keys, and no line editor is seen in it. A program that passes
/// them on has others to wait for.
bool reads_keys(const Foreground& foreground, dev_t terminal) {
  const GroupWait group = group_wait(foreground, terminal, false);
  return group.wait == TtyWait::only && !foreground.is_shell() && !has_line_editor(group.pid);
}

TypedInput::EchoedBy echoed_at(const Place& place) {
  using EchoedBy = TypedInput::EchoedBy;
  const auto mode = terminal_mode(place.tty);
  if (!mode || (mode->line && !mode->echo)) {
    return EchoedBy::nobody;
  }
  if (mode->echo || leads_elsewhere(place.foreground)) {
    return mode->echo ? EchoedBy::terminal : EchoedBy::program;
  }
  const dev_t terminal = terminal_device(place.tty);
  if (const auto inner = inner_terminal(place.foreground, terminal)) {
    return echoed_at({inner->tty, inner->foreground});
  }
  return reads_keys(place.foreground, terminal) ? EchoedBy::drawing : EchoedBy::program;
}

}  // namespace

TypedInput::EchoedBy echoed_by(const Tab& tab) {
  return echoed_at({tab.tty, look_at_foreground(tab.pane_pid)});
}

KeyboardLook look_at_keyboard(const Tab& tab, const Foreground& foreground, bool runs_ours) {
  return verdict(tab, {tab.tty, foreground}, runs_ours);
}

}  // namespace terminally
