// Tells a person how a command ended.
#include "terminal/outcome.hpp"

#include <csignal>
#include <string>

#include "terminal/print.hpp"

namespace terminally {

int exit_status_of(CommandState state, std::optional<int> exit_code) {
  constexpr int kKshSignals = 256;  // ksh93 counts signals from there
  const int code = exit_code.value_or(0);
  if (state == CommandState::cancelled && code == 0) {
    return 128 + SIGINT;
  }
  if (code < 0 || code > 255) {
    complain("its exit code is " + std::to_string(code) + ", which an exit status has no room for");
    const int signal = code - kKshSignals;
    return signal >= 1 && signal <= 64 ? 128 + signal : 255;
  }
  return code;
}

void complain_of(const std::vector<Survivor>& survivors) {
  for (const Survivor& survivor : survivors) {
    complain("pid " + std::to_string(survivor.pid) + " (\"" + survivor.command +
             "\") lives on: " + survivor.why);
  }
}

}  // namespace terminally
