// Writes text to a tab's terminal without waiting.
#include "system/terminal_text.hpp"

#include <fcntl.h>
#include <unistd.h>

#include "base/leave_full_screen.hpp"
#include "base/unique_fd.hpp"

namespace terminally {

void print_in_terminal(const std::string& tty, std::string_view text) noexcept {
  const UniqueFd fd(::open(tty.c_str(), O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC));
  if (fd) {
    static_cast<void>(!::write(fd.get(), text.data(), text.size()));
  }
}

void leave_full_screen(const std::string& tty) {
  print_in_terminal(tty, std::string(kLeaveAlternateScreen) + "\033[?25h\033[0m");
}

}  // namespace terminally
