#pragma once

#include <optional>

#include "record/record.hpp"
#include "system/foreground.hpp"
#include "tab/tab.hpp"
#include "text/typed_echo.hpp"

namespace terminally {

/// Whether what has a tab's foreground waits for the keyboard, at one look.
struct KeyboardLook {
  std::optional<AwaitingInput::Kind> kind = std::nullopt;
  /// Whether it waits cannot be seen: it passes the keys on to another machine, or is another user's.
  bool unseen = false;
  int pid = 0;  ///< who reads it; 0: not known
};

/// Behind a terminal that a program of the tab made (sudo, script) it is looked for there. `runs_ours`: the
/// shell in front there runs a command of ours, so it is not at its prompt.
[[nodiscard]] KeyboardLook look_at_keyboard(const Tab& tab, const Foreground& foreground,
                                            bool runs_ours = false);

/// Who shows what is typed there now. Behind such a terminal, that one does.
[[nodiscard]] TypedInput::EchoedBy echoed_by(const Tab& tab);

}  // namespace terminally
