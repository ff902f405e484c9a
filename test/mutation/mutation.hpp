// Which mutant is on, in the copy of the sources that scripts/mutate builds. The name comes from
// TERMINALLY_MUTANT, or from the file `mutant` beside the program: what runs inside a tab has none of our
// environment.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

namespace mutation {

struct Name {
  char text[4200] = {};

  Name() {
    if (const char* name = std::getenv("TERMINALLY_MUTANT")) {
      std::strncpy(text, name, sizeof text - 1);
      return;
    }
    const long size = ::readlink("/proc/self/exe", text, 4096);
    char* const file = size > 0 ? std::strrchr(text, '/') : nullptr;
    if (file != nullptr) {
      std::strcpy(file, "/mutant");
    }
    const int fd = file != nullptr ? ::open(text, O_RDONLY | O_CLOEXEC) : -1;
    std::memset(text, 0, sizeof text);
    if (fd >= 0) {
      [[maybe_unused]] const long got = ::read(fd, text, sizeof text - 1);
      ::close(fd);
    }
  }
};

inline bool on(const char* id) {
  static const Name name;
  return std::strcmp(name.text, id) == 0;
}

inline const bool known_before_main = on("");

}  // namespace mutation
