#pragma once

#include "base/unique_fd.hpp"

namespace terminally {

struct Pipe {
  UniqueFd read;
  UniqueFd write;
};

/// Both ends are closed on exec. Throws Error(io).
[[nodiscard]] Pipe make_pipe();

}  // namespace terminally
