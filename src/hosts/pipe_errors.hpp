#pragma once

#include <optional>
#include <string>

#include "hosts/hosts_file.hpp"

namespace terminally {

/// How an attempt to reach a far side ended.
struct PipeEnd {
  std::optional<int> exit_code;  ///< none: the attempt was given up
  std::string printed;           ///< the last of standard output, which was no hello
  std::string complained;        ///< the last of standard error
  bool too_much = false;         ///< more output than a hello may follow
  long waited_s = 0;
};

/// What a tool said there, with what to do where terminally-mcp found no place for its own files. Pure.
[[nodiscard]] std::string with_place_named(const std::string& said);

/// What went wrong, in words, and what to do. Pure.
[[nodiscard]] std::string explain_pipe(const HostEntry& host, const PipeEnd& end);

}  // namespace terminally
