#pragma once

#include "base/unique_fd.hpp"

namespace terminally {

struct Pipe {
  UniqueFd read;
  UniqueFd write;
};

/// Both ends are closed on exec. Throws Error(io).
[[nodiscard]] Pipe make_pipe();

/// As make_pipe, but a pair of sockets: a write without a reader need not raise SIGPIPE (MSG_NOSIGNAL).
[[nodiscard]] Pipe make_socket_pipe();

}  // namespace terminally
