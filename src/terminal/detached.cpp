// Starts a process that belongs to no terminal and no tab.
#include "terminal/detached.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>

#include "base/error.hpp"
#include "system/signals.hpp"
#include "terminal/print.hpp"

namespace terminally {
namespace {

[[noreturn]] void run(const Argv& argv, int errors) {
  ::setsid();
  static_cast<void>(::chdir("/"));
  ::unsetenv("TERMINALLY_TAB");
  const int nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  ::dup2(nothing, STDIN_FILENO);
  ::dup2(nothing, STDOUT_FILENO);
  ::dup2(errors >= 0 ? errors : nothing, STDERR_FILENO);
  try {
    become(argv);
  } catch (const std::exception& error) {
    complain(error.what());
  }
  ::_exit(1);
}

}  // namespace

void start_detached(const Argv& argv, const UniqueFd& errors) {
  const Untagged untagged;
  const pid_t pid = ::fork();
  if (pid == 0) {
    run(argv, errors.get());
  }
  if (pid < 0) {
    throw io_error("cannot start " + argv.front(), errno);
  }
}

}  // namespace terminally
