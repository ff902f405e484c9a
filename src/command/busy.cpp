#include "command/busy.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

#include "base/conventions.hpp"
#include "command/awaiting_input.hpp"
#include "command/command_run.hpp"
#include "log/unfinished_line.hpp"
#include "system/proc.hpp"
#include "system/terminal.hpp"

namespace terminally {
namespace {

/// A command line, as a person types it.
std::string by_hand(const std::string& command, const Tab& tab, const std::string& more = "") {
  return "`terminally-mcp " + command + " " + to_string(tab.window) + more + "`";
}

std::string to_end_it(const Tab& tab) {
  return "; to end it: " +
         (tab.for_person ? by_hand("cancel", tab) : next_call("cancel_command", tab.window));
}

std::string to_answer_it(const Tab& tab) {
  return "; to answer it: " + (tab.for_person ? by_hand("send", tab, " TEXT")
                                              : next_call("send_text", tab.window, R"("text": "…")"));
}

std::string to_drive_it(const Tab& tab) {
  return tab.for_person ? "; to see and drive it: " + by_hand("attach", tab)
                        : "; to see it: " + next_call("read_screen", tab.window) +
                              "; to drive it: " + next_call("send_keys", tab.window, R"("keys": ["…"])");
}

std::string first_sentence(const Tab& tab) {
  return "tab " + to_string(tab.window) + " is busy; nothing was run. ";
}

std::string name_of(const CommandRecord& record) {
  const std::string words = first_words(record.command);
  return "command " + record.id + (words.empty() ? "" : " (" + words + ")");
}

std::string of_whom(const CommandRecord& record) {
  return record.who.empty() ? "" : " of " + record.who;
}

std::string name_of(const Foreground& foreground) {
  const std::string arguments = describe_process(foreground.pid);
  const std::string name = foreground.name.empty() ? "a program that just ended" : foreground.name;
  return arguments.empty() || arguments == name ? name : name + " (" + arguments + ")";
}

/// ", which waits for the keyboard at "Password:"" and how to answer it; both empty where it does not.
struct KeyboardWait {
  std::string what;
  std::string how;
};

KeyboardWait waiting_for_keys(const Tab& tab) {
  const auto awaiting = awaiting_input(tab);
  if (!awaiting) {
    return {};
  }
  if (awaiting->kind == AwaitingInput::Kind::program) {
    return {", which waits for keys", to_drive_it(tab)};
  }
  if (awaiting->kind == AwaitingInput::Kind::stopped) {
    return {", of which " + awaiting->prompt, ""};
  }
  const std::string prompt = whole_unfinished_line(tab.log, tab.cols);
  return {(awaiting->kind == AwaitingInput::Kind::password ? ", which waits for a password"
                                                           : ", which waits for the keyboard") +
              (prompt.empty() ? "" : " at \"" + prompt + "\""),
          to_answer_it(tab)};
}

/// What runs in it cannot be followed.
std::string about_multiplexer(std::string_view name) {
  const bool is_one = name.starts_with("tmux") || name == "screen" || name == "zellij";
  return is_one ? ". No command can be run through a multiplexer: if the shell's start-up files open it, let "
                  "them do so only where $TMUX, $STY and $ZELLIJ are empty, or create_tab with another shell"
                : "";
}

std::string to_wait_for_its_end(const Tab& tab) {
  return tab.for_person ? "to wait for its end: " + by_hand("wait", tab)
                        : "to wait for its end: " + next_call("wait_for", tab.window, R"("until": "exit")");
}

constexpr std::string_view kShellReads = " waits for the keyboard (a `read` or a password prompt)";

/// The tab's own shell has the foreground, and no call of this process has the tab.
std::string what_shell_does(const Tab& tab, const Foreground& foreground) {
  const Prompt prompt = prompt_state(foreground, tab.tty);
  if (prompt == Prompt::reads_keyboard) {
    return "its shell" + std::string(kShellReads);
  }
  if (const auto reader = tab.readers.look(foreground, tab.pane_pid, tab.tty)) {
    return describe_reader(*reader);
  }
  // With each key the editor runs for a moment, as a builtin would, which has left the editor's mode.
  const auto mode = terminal_mode(tab.tty);
  const bool in_editor = mode && !mode->line;
  if (prompt == Prompt::not_yet && !(tab.person_types && in_editor)) {
    return "its shell runs a builtin, such as `wait`, or its start-up files";
  }
  return tab.person_types ? "a person is typing in it" : "it was not free a moment ago";
}

}  // namespace

std::string next_call(const std::string& tool, WindowId window, const std::string& more) {
  return tool + " {\"window_id\": \"" + to_string(window) + "\"" + (more.empty() ? "" : ", " + more) + "}";
}

bool is_elsewhere(const Tab& tab) {
  return std::ranges::any_of(tab.runs, [](const auto& run) {
    const auto& way = run->record().shell_gateway;
    return way && (run->shells().opened_one() || !way->ends_with_command);
  });
}

BusyTab::BusyTab(const Tab& tab, const std::string& message)
    : Error(ErrorCode::busy, message), elsewhere_(is_elsewhere(tab)) {}

BusyTab busy_with_command(const Tab& tab, const CommandRecord& record) {
  const KeyboardWait keys = waiting_for_keys(tab);
  return BusyTab(tab, first_sentence(tab) + "There runs " + name_of(record) + of_whom(record) + keys.what +
                          ": " + to_wait_for_its_end(tab) + keys.how + to_end_it(tab));
}

BusyTab busy_with_program(const Tab& tab, const Foreground& foreground) {
  const KeyboardWait keys = waiting_for_keys(tab);
  if (foreground.terminal_is_taken) {
    const bool is_held = foreground.pid != 0 && foreground.pid != foreground.shell_pid;
    return BusyTab(tab,
                   first_sentence(tab) +
                       (is_held ? "There runs " + name_of(foreground) + ", which took" : "A program took") +
                       " the terminal from the tab's shell (as `setsid -c` does): that shell has none "
                       "any more. To end it and start a new shell: " +
                       (tab.for_person ? "close the tab" : next_call("cancel_command", tab.window)));
  }
  if (foreground.pid != 0 && foreground.pid == foreground.shell_pid) {
    return BusyTab(tab, first_sentence(tab) + "It was opened with " + name_of(foreground) + " as its shell" +
                            keys.what + ", and commands are run in bash, zsh, dash, ksh and fish only" +
                            (tab.for_person ? "" : "; open another by create_tab, with \"shell\": \"bash\"") +
                            keys.how);
  }
  return BusyTab(tab, first_sentence(tab) + "There runs " + name_of(foreground) + keys.what +
                          ". No command of ours began it: " + to_wait_for_its_end(tab) + keys.how +
                          (about_multiplexer(foreground.name).empty() ? to_end_it(tab) : "") +
                          about_multiplexer(foreground.name));
}

BusyTab cannot_run_in(const Tab& tab, const Foreground& foreground, std::string_view why) {
  return BusyTab(
      tab, "tab " + to_string(tab.window) + " shows the prompt of " + name_of(foreground) + std::string(why) +
               ": no command can be run in it; nothing was run" +
               (tab.for_person ? "; to type there: " + by_hand("attach", tab)
                               : "; to type there: " + next_call("send_text", tab.window, R"("text": "…")")));
}

BusyTab busy_with_reading(const Tab& tab, const Foreground& foreground) {
  const KeyboardWait keys = waiting_for_keys(tab);
  const bool known = !keys.how.empty();
  return BusyTab(tab, first_sentence(tab) + foreground.name + (known ? keys.what : std::string(kShellReads)) +
                          ": " + (known ? keys.how : to_answer_it(tab)).substr(2) + to_end_it(tab));
}

BusyTab busy_with_other_reader(const Tab& tab, const ProcessInfo& reader) {
  return BusyTab(tab, first_sentence(tab) + "Beside its shell, " + describe_reader(reader) +
                          ": what is typed there would go to either, in pieces. To end it: `kill " +
                          std::to_string(reader.pid) + "` in another tab" +
                          (tab.for_person ? "" : ", or " + next_call("close_tab", tab.window)) +
                          "; a program that is to live on is started with `</dev/null`");
}

BusyTab busy_with_typing(const Tab& tab) {
  return BusyTab(tab,
                 first_sentence(tab) + "A person is typing in it just now. Try again when they have paused");
}

BusyTab busy_without_prompt(const Tab& tab, const Foreground& foreground) {
  return BusyTab(
      tab, first_sentence(tab) + "Its shell" + (foreground.name.empty() ? "" : ", " + foreground.name + ",") +
               " did not come to its prompt in time: it runs its start-up files, or a builtin such as "
               "`wait` that was typed there. To look: " +
               (tab.for_person ? by_hand("attach", tab)
                               : next_call("read_screen", tab.window) +
                                     "; to wait for it: the same call with \"window_id\": \"" +
                                     to_string(tab.window) + "\", and more timeout_ms if that was short"));
}

BusyTab busy_with_calls(const Tab& tab, std::size_t ahead) {
  const auto nonce = tab.files.running_nonce();
  const auto record = nonce && ahead == 0 ? tab.records.find(command_id_of(*nonce)) : std::nullopt;
  if (record && tab.runs.empty()) {
    return busy_with_command(tab, *record);
  }
  const std::string who = ahead == 0   ? "calls of other clients or of people stand"
                          : ahead == 1 ? "one call stands"
                                       : std::to_string(ahead) + " calls stand";
  return BusyTab(tab, "tab " + to_string(tab.window) +
                          " was busy for the whole time of this call; nothing was run, " + who +
                          " before it" + (tab.runs.empty() ? "" : " (" + what_has(tab, true) + ")") +
                          ". Try again" + (tab.for_person ? "" : " with more timeout_ms"));
}

std::string about_another_shell(const Tab& tab) {
  return "another shell now waits in this tab: " +
         (tab.for_person ? "the next " + by_hand("exec", tab, " -- …") + " runs in it, " +
                               by_hand("attach", tab) + " is for typing there, and `exit` leaves it"
                         : "the next execute_command with this window_id runs in it, and `exit` leaves it");
}

Error or_beside(const BusyTab& busy, bool for_person) {
  std::string what = busy.what();
  if (!busy.elsewhere()) {
    what += for_person
                ? "; to run this beside it: `terminally-mcp exec -- …`, without a tab, or in another tab"
                : "; to run this beside it: the same call without window_id, or in another tab";
  }
  return Error(busy.code(), what);
}

std::string what_has(const Tab& tab, bool called) {
  if (!tab.runs.empty() && !tab.runs.back()->record().id.empty()) {
    const CommandRun& last = *tab.runs.back();
    return last.has_begun() ? name_of(last.record()) + " runs there"
           : last.may_be_typed()
               ? name_of(last.record()) + " was typed there, and no sign of its start has come"
               : name_of(last.record()) + " waits to be typed there";
  }
  const auto nonce = tab.files.running_nonce();
  if (const auto record = nonce ? tab.records.find(command_id_of(*nonce)) : std::nullopt) {
    return name_of(*record) + " runs there";
  }
  const Foreground foreground = look_at_foreground(tab.pane_pid);
  if (is_starting(foreground, tab.pane_pid)) {
    return "its shell is just being started";
  }
  return foreground.kind != Foreground::Kind::shell ? name_of(foreground) + " runs there"
         : called                                   ? "another call has it"
                                                    : what_shell_does(tab, foreground);
}

}  // namespace terminally
