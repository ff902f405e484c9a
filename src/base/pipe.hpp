#pragma once

#include "base/unique_fd.hpp"

namespace terminally {

struct Pipe {
  UniqueFd read;
  UniqueFd write;
};

/// Both ends are closed on exec. Throws Error(io).
[[nodiscard]] Pipe make_pipe();

/// The same as a pair of sockets: writing where nobody reads any more need not raise SIGPIPE (MSG_NOSIGNAL).
[[nodiscard]] Pipe make_socket_pipe();

}  // namespace terminally
