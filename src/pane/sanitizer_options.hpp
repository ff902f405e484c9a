#pragma once

// For a main() that runs in a tab: hung up on or killed while the address sanitizer looks for leaks at its
// end, which needs a second process to trace it, it may hang for seconds. What ends at once leaks nothing.
#ifdef __SANITIZE_ADDRESS__
extern "C" const char* __asan_default_options() {
  return "detect_leaks=0";
}
#endif
