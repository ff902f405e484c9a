#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "record/record.hpp"
#include "system/foreground.hpp"
#include "tab/tab.hpp"

namespace terminally {

/// What a call is told that cannot run its command in a tab: what has the tab, whose it is, whether it waits
/// for the keyboard, and the exact next call. Each says that nothing was run. The code is busy.
class BusyTab : public Error {
 public:
  BusyTab(const Tab& tab, const std::string& message);

  [[nodiscard]] bool elsewhere() const { return elsewhere_; }

 private:
  bool elsewhere_;
};

/// Whether what comes next in the tab goes to a shell behind ssh, su or sudo that a command of ours is known
/// to have opened: no other tab is there.
[[nodiscard]] bool is_elsewhere(const Tab& tab);

/// A command of ours runs there.
[[nodiscard]] BusyTab busy_with_command(const Tab& tab, const CommandRecord& record);

/// Something runs there that was not begun by a command of ours: a person typed it, or send_text did.
[[nodiscard]] BusyTab busy_with_program(const Tab& tab, const Foreground& foreground);

/// No command can be typed into its shell. `why` comes behind the shell's name.
[[nodiscard]] BusyTab cannot_run_in(const Tab& tab, const Foreground& foreground, std::string_view why);

/// The shell itself reads the keyboard: `read`, or a password prompt of a way to another shell.
[[nodiscard]] BusyTab busy_with_reading(const Tab& tab, const Foreground& foreground);

/// As OtherReaders: what is typed would go in part to it.
[[nodiscard]] BusyTab busy_with_other_reader(const Tab& tab, const ProcessInfo& reader);

/// A person, at its prompt.
[[nodiscard]] BusyTab busy_with_typing(const Tab& tab);

/// The shell has the foreground and does not come to its prompt.
[[nodiscard]] BusyTab busy_without_prompt(const Tab& tab, const Foreground& foreground);

/// Other calls had the tab for the whole time of this one. `ahead`: how many of this process stood before it;
/// 0: those of other processes, and what runs of them is named.
[[nodiscard]] BusyTab busy_with_calls(const Tab& tab, std::size_t ahead);

/// The same for a call that named the tab: it could have gone beside it, unless the tab is_elsewhere().
/// `for_person`: as Tab::for_person.
[[nodiscard]] Error or_beside(const BusyTab& busy, bool for_person);

/// In a few words, for a note: "command 1a2b3c4d (make test) runs there". `called`: other calls of this
/// process have it.
[[nodiscard]] std::string what_has(const Tab& tab, bool called);

/// That another shell waits in the tab, and what that means for the next command.
[[nodiscard]] std::string about_another_shell(const Tab& tab);

/// A call as a client would write it: `wait_for {"window_id": "@3", "until": "exit"}`. `more`: further
/// arguments, as JSON.
[[nodiscard]] std::string next_call(const std::string& tool, WindowId window, const std::string& more = "");

}  // namespace terminally
