#pragma once

namespace terminally {

// A few descriptors are held back, so that a process that has reached its limit (EMFILE), or the system's
// (ENFILE), can still read /proc and its own files: else live processes would look dead. For any thread.

/// Opens the spare descriptors that are missing, as far as the limit allows. To be called at the start of the
/// program: then their numbers are low, below any limit that is set later.
void hold_spare_descriptors();

/// As open(2), but uses a spare descriptor when no other is left. The caller closes it again soon.
[[nodiscard]] int open_or_use_spare(const char* path, int flags);

/// For other calls that failed. True: no descriptor was left, and a spare one is free now; try again.
[[nodiscard]] bool gave_up_descriptor(int error_number);

}  // namespace terminally
