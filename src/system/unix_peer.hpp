#pragma once

#include <sys/types.h>

#include <filesystem>

#include "base/descriptors.hpp"

namespace terminally {

/// Who listens on a Unix socket.
struct UnixPeer {
  bool listens = false;
  UniqueFd connection;  ///< does not block; none: nobody listens, or too many wait to be let in
  int pid = 0;          ///< of who began to listen; 0: not known, or not of our PID namespace
  uid_t uid = 0;        ///< meant where there is a connection
};

[[nodiscard]] UnixPeer connect_to(const std::filesystem::path& socket);

}  // namespace terminally
