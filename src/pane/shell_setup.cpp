// Reads the setup of terminally-shell from the environment, and prepares the shell's environment.
#include "pane/shell_setup.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <vector>

#include "base/conventions.hpp"
#include "system/process_tag.hpp"

namespace terminally {
namespace {

std::string env(const char* name) {
  const char* value = getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

/// Renames each TERMINALLY_ENV_X to X: the variables that the tab was asked for.
void set_asked_variables() {
  const std::string prefix = "TERMINALLY_ENV_";
  std::vector<std::string> carried;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    if (strncmp(*entry, prefix.c_str(), prefix.size()) == 0) {
      carried.emplace_back(*entry);
    }
  }
  for (const std::string& entry : carried) {
    const size_t equals = entry.find('=');
    unsetenv(entry.substr(0, equals).c_str());
    setenv(entry.substr(prefix.size(), equals - prefix.size()).c_str(), entry.c_str() + equals + 1, 1);
  }
}

void tag_children(const std::string& instance, const std::string& generation, const std::string& pane) {
  rlimit limit{};
  const ProcessTag tag =
      tab_tag(instance, strtoull(generation.c_str(), nullptr, 10), strtoull(pane.c_str(), nullptr, 10));
  if (getrlimit(RLIMIT_LOCKS, &limit) == 0 && tag.value <= limit.rlim_max) {
    limit.rlim_cur = tag.value;
    setrlimit(RLIMIT_LOCKS, &limit);
  }
}

}  // namespace

PaneSetup take_setup() {
  PaneSetup setup;
  setup.run_directory = env("TERMINALLY_RUN");
  setup.files_directory = env("TERMINALLY_FILES");
  if (setup.files_directory.empty()) {
    setup.files_directory = setup.run_directory;
  }
  setup.shell = env("TERMINALLY_SHELL");
  setup.login = env("TERMINALLY_LOGIN") == "1";
  const std::string pane = env("TMUX_PANE");
  setup.pane = pane.size() > 1 ? pane.substr(1) : std::string("x");
  if (setup.shell.empty()) {
    setup.shell = "/bin/sh";
  }
  const std::string env_name = env("TERMINALLY_NAME");
  // Panes of the next tmux server have the same numbers; its directory of logs differs.
  const std::string logs = env("TERMINALLY_LOG_DIR");
  const std::string generation = logs.substr(logs.rfind('/') + 1);
  const std::string cookie = env_name + ":" + generation + "." + setup.pane;
  for (const char* name : {"TERMINALLY_RUN", "TERMINALLY_FILES", "TERMINALLY_SHELL", "TERMINALLY_LOGIN",
                           "TERMINALLY_NAME", "TERMINALLY_LOG", "TERMINALLY_LOG_DIR", "TERMINALLY_PANE_SHELL",
                           "TMUX", "TMUX_PANE", "TERM_PROGRAM", "TERM_PROGRAM_VERSION"}) {
    unsetenv(name);
  }
  for (const char* name : kMultiplexers) {
    setenv(name, kNoMultiplexer, 1);
  }
  setenv("SHELL", setup.shell.c_str(), 1);
  set_asked_variables();
  // The cookie and the tag identify the descendants of a tab.
  setenv("TERMINALLY_TAB", cookie.c_str(), 1);
  tag_children(env_name, generation, setup.pane);
  return setup;
}

void keep_from_cleaners(const PaneSetup& setup) {
  const int directory = open(setup.run_directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
  if (directory >= 0) {
    flock(directory, LOCK_SH | LOCK_NB);
  }
}

}  // namespace terminally
