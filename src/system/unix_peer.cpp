// Connects to a Unix socket, and says who listens there.
#include "system/unix_peer.hpp"

#include <sys/socket.h>
#include <sys/un.h>

#include <cerrno>
#include <cstring>

namespace terminally {

UnixPeer connect_to(const std::filesystem::path& socket) {
  UnixPeer peer;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (socket.native().size() >= sizeof address.sun_path) {
    return peer;
  }
  std::memcpy(address.sun_path, socket.c_str(), socket.native().size() + 1);
  UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd || ::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    peer.listens = fd && errno == EAGAIN;  // the queue of connections is full
    return peer;
  }
  peer.listens = true;
  ucred who{};
  socklen_t size = sizeof who;
  if (::getsockopt(fd.get(), SOL_SOCKET, SO_PEERCRED, &who, &size) == 0) {
    peer.pid = who.pid;
    peer.uid = who.uid;
    peer.connection = std::move(fd);
  }
  return peer;
}

}  // namespace terminally
