#pragma once

#include <optional>

#include "system/proc.hpp"
#include "system/process_tag.hpp"

namespace terminally {

/// Every signal of this program goes through here, but for those to a child that it has not waited for yet
/// (src/base/process.cpp, src/pane/shell.cpp). Signals go to identities: a pid that another process has by
/// now, 0, 1 and this program itself are refused.

/// Sends a signal, and continues a stopped process where the signal would wait. False: no process got it.
bool signal_process(ProcessId process, int signal);

/// Signals the foreground group of the pane's terminal, if that still is `group`. Never signals the group of
/// the pane's own process, which has the foreground between two shells and starts the next one. `waiting`: a
/// shell that waits for the group; it gets a SIGINT just before, on which ksh takes the foreground back.
bool signal_foreground(ProcessId pane, int group, int signal, std::optional<ProcessId> waiting = {});

/// Sets the tag that this process's children will inherit (process_tag.hpp). False: not allowed.
bool tag_process(int pid, ProcessTag tag);
/// The tag that a process inherited. Nothing: it has no tag, or is gone.
[[nodiscard]] std::optional<ProcessTag> process_tag(int pid);

/// While such an object lives, processes that this one starts do not inherit the tag of the tab that this
/// process runs in, if it runs in one. One object at a time.
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
