#pragma once

namespace terminally {

// A few descriptors are held back, so that a process that has reached its limit (EMFILE), or the system's
// (ENFILE), can still read /proc and its own files: without them what lives would look dead. For one thread.

/// Takes what is missing of them, as far as there are any. At the start of the program their numbers are low:
/// a limit that is lowered later is above them.
void hold_spare_descriptors();

/// As open(2), also when there is no other descriptor than those. To be closed again soon.
[[nodiscard]] int open_or_use_spare(const char* path, int flags);

/// For other calls that make a descriptor and failed. True: there was none, and now there is one; try again.
[[nodiscard]] bool gave_up_descriptor(int error_number);

}  // namespace terminally
