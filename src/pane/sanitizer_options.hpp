#pragma once

// Turns the leak check off for a main() that runs in a tab: the check traces the process from a second one at
// its end, and may hang for seconds when the tab is hung up or killed then. An ended process leaks nothing.
#ifdef __SANITIZE_ADDRESS__
extern "C" const char* __asan_default_options() {
  return "detect_leaks=0";
}
#endif
