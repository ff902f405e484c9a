#include "tmux/busy.hpp"

#include <optional>
#include <string_view>

#include "tmux/awaiting_input.hpp"
#include "tmux/command_run.hpp"
#include "tmux/proc.hpp"

namespace terminally {
namespace {

const std::string kElsewhere = "; to run this beside it: the same call without window_id, or in another tab";

std::string first_sentence(const Tab& tab) {
  return "tab " + to_string(tab.window) + " is busy; nothing was run. ";
}

std::string name_of(const CommandRecord& record) {
  const std::string words = first_words(record.command);
  return "command " + record.id + (words.empty() ? "" : " (" + words + ")");
}

std::string name_of(const Foreground& foreground) {
  const std::string arguments = describe_process(foreground.pid);
  return arguments.empty() || arguments == foreground.name ? foreground.name
                                                           : foreground.name + " (" + arguments + ")";
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
    return {", which waits for keys",
            "; to see it: " + next_call("read_screen", tab.window) +
                "; to drive it: " + next_call("send_keys", tab.window, R"("keys": ["…"])")};
  }
  const std::string prompt = whole_unfinished_line(tab.log, tab.cols);
  return {(awaiting->kind == AwaitingInput::Kind::password ? ", which waits for a password"
                                                           : ", which waits for the keyboard") +
              (prompt.empty() ? "" : " at \"" + prompt + "\""),
          "; to answer it: " + next_call("send_text", tab.window, R"("text": "…")")};
}

/// What runs in it cannot be followed.
std::string about_multiplexer(std::string_view name) {
  const bool is_one = name.starts_with("tmux") || name == "screen" || name == "zellij";
  return is_one ? ". No command can be run through a multiplexer: if the shell's start-up files open it, let "
                  "them do so only where $TMUX, $STY and $ZELLIJ are empty, or create_tab with another shell"
                : "";
}

std::string to_wait_for_its_end(const Tab& tab) {
  return "to wait for its end: " + next_call("wait_for", tab.window, R"("until": "exit")");
}

}  // namespace

std::string next_call(const std::string& tool, WindowId window, const std::string& more) {
  return tool + " {\"window_id\": \"" + to_string(window) + "\"" + (more.empty() ? "" : ", " + more) + "}";
}

Error busy_with_command(const Tab& tab, const CommandRecord& record) {
  const KeyboardWait keys = waiting_for_keys(tab);
  return Error(ErrorCode::busy, first_sentence(tab) + "There runs " + name_of(record) +
                                    (record.who.empty() ? "" : " of " + record.who) + keys.what + ": " +
                                    to_wait_for_its_end(tab) + keys.how +
                                    "; to end it: " + next_call("cancel_command", tab.window) + kElsewhere);
}

Error busy_with_program(const Tab& tab, const Foreground& foreground) {
  const KeyboardWait keys = waiting_for_keys(tab);
  return Error(ErrorCode::busy,
               first_sentence(tab) + "There runs " + name_of(foreground) + keys.what +
                   ". It was typed in the tab, by a person or with send_text, and is not ours to end: " +
                   to_wait_for_its_end(tab) + keys.how + kElsewhere + about_multiplexer(foreground.name));
}

Error busy_with_reading(const Tab& tab, const Foreground& foreground) {
  const KeyboardWait keys = waiting_for_keys(tab);
  const bool known = !keys.how.empty();
  return Error(ErrorCode::busy,
               first_sentence(tab) + foreground.name +
                   (known ? keys.what : " waits for the keyboard (a `read` or a password prompt)") + ": " +
                   (known ? keys.how.substr(2)
                          : "to answer it: " + next_call("send_text", tab.window, R"("text": "…")")) +
                   kElsewhere);
}

Error busy_with_typing(const Tab& tab) {
  return Error(ErrorCode::busy, first_sentence(tab) +
                                    "A person is typing in it just now. Try again when they have paused" +
                                    kElsewhere);
}

Error busy_without_prompt(const Tab& tab, const Foreground& foreground) {
  return Error(ErrorCode::busy,
               first_sentence(tab) + "Its shell" + (foreground.name.empty() ? "" : ", " + foreground.name) +
                   ", did not come to its prompt in time: it runs its start-up files, or a builtin such as "
                   "`wait` that was typed there. To look: " +
                   next_call("read_screen", tab.window) + kElsewhere);
}

Error busy_with_calls(const Tab& tab, std::size_t ahead) {
  return Error(ErrorCode::busy,
               "tab " + to_string(tab.window) +
                   " was busy for the whole time of this call; nothing was run, " +
                   (ahead == 1 ? "one call stands" : std::to_string(ahead) + " calls stand") + " before it" +
                   (tab.runs.empty() ? "" : " (" + what_has(tab) + ")") + ". Try again with more timeout_ms" +
                   kElsewhere);
}

std::string what_has(const Tab& tab) {
  if (!tab.runs.empty() && !tab.runs.back()->record().id.empty()) {
    return name_of(tab.runs.back()->record()) + " runs there";
  }
  const Foreground foreground = look_at_foreground(tab.pane_pid);
  return foreground.kind == Foreground::Kind::shell ? "another call has it"
                                                    : name_of(foreground) + " runs there";
}

}  // namespace terminally
