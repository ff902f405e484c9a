#pragma once

#include <optional>

#include "system/proc.hpp"
#include "system/process_tag.hpp"

namespace terminally {

/// Every signal of this program goes through here, but for those to a child that it has not waited for yet
/// (src/base/process.cpp, src/pane/shell.cpp). They go to identities: a number that is another process's by
/// now, 0, 1 and this program itself are refused.

/// Also continues it where the signal would else wait until somebody does. False: nobody was signalled.
bool signal_process(ProcessId process, int signal);

/// To the group that has the foreground of the pane's terminal, if that still is `group`. Never to the group
/// of the pane's own process: between two shells it has the foreground, and it starts the next one.
/// `waiting`: a shell that waits for that group, and gets a SIGINT just before; ksh takes the foreground back
/// over it.
bool signal_foreground(ProcessId pane, int group, int signal, std::optional<ProcessId> waiting = {});

/// What the children of this process will inherit (see process_tag.hpp). False: the system does not let us.
bool tag_process(int pid, ProcessTag tag);
/// What it inherited. Nothing: it has none, or is gone.
[[nodiscard]] std::optional<ProcessTag> process_tag(int pid);

/// While it is there, what this process starts does not inherit the tag of the tab that this process runs in,
/// if it runs in one. One at a time.
class Untagged {
 public:
  Untagged();
  ~Untagged();
  Untagged(const Untagged&) = delete;
  Untagged& operator=(const Untagged&) = delete;

 private:
  std::optional<ProcessTag> before_;
};

}  // namespace terminally
