#pragma once

#include <optional>
#include <string>

#include "hosts/hosts_file.hpp"

namespace terminally {

/// How an attempt to reach a far side ended.
struct PipeEnd {
  std::optional<int> exit_code;  ///< none: it was given up
  std::string printed;           ///< on its standard output, which was no hello
  std::string complained;        ///< on its standard error, the last of it
  bool too_much = false;         ///< it printed on and on
  long waited_s = 0;
};

/// What went wrong, in words, and what to do. Pure.
[[nodiscard]] std::string explain_pipe(const HostEntry& host, const PipeEnd& end);

}  // namespace terminally
