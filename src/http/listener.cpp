// Listens on a loopback address or a Unix socket, and takes connections of this user only.
#include "http/listener.hpp"

#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <boost/asio/ip/tcp.hpp>
#include <cerrno>
#include <cstring>
#include <optional>

#include "base/error.hpp"
#include "base/files.hpp"
#include "system/listeners.hpp"
#include "system/unix_peer.hpp"

namespace terminally {
namespace {

constexpr int kBacklog = 512;
constexpr int kKind = SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK;

UniqueFd listen_on_tcp(ListenPlace& place) {
  const boost::asio::ip::tcp::endpoint end(boost::asio::ip::make_address(place.address), place.port);
  UniqueFd fd(::socket(end.protocol().family(), kKind, IPPROTO_TCP));
  const int on = 1;
  if (!fd || ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0) {
    throw io_error("cannot make a socket", errno);
  }
  if (::bind(fd.get(), end.data(), static_cast<socklen_t>(end.size())) != 0 ||
      ::listen(fd.get(), kBacklog) != 0) {
    const int error = errno;
    if (error == EADDRINUSE) {
      throw Error(ErrorCode::busy, to_string(place) + " is taken (" + listener_anywhere(place.port) + ")");
    }
    throw io_error("cannot listen on " + to_string(place), error);
  }
  sockaddr_storage chosen{};
  socklen_t size = sizeof chosen;
  if (::getsockname(fd.get(), reinterpret_cast<sockaddr*>(&chosen), &size) != 0) {
    throw io_error("cannot tell where it listens", errno);
  }
  place.port = ntohs(chosen.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6&>(chosen).sin6_port
                                                  : reinterpret_cast<sockaddr_in&>(chosen).sin_port);
  return fd;
}

UniqueFd listen_on_unix(const std::filesystem::path& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.native().size() >= sizeof address.sun_path) {
    throw Error(ErrorCode::invalid_argument,
                "the socket's path " + path.string() + " is too long for the system's limit of 107 bytes");
  }
  std::memcpy(address.sun_path, path.c_str(), path.native().size() + 1);
  if (connect_to(path).listens) {
    throw Error(ErrorCode::busy, path.string() + " is taken: another program listens there");
  }
  struct stat left{};
  if (::lstat(path.c_str(), &left) == 0 && S_ISSOCK(left.st_mode)) {
    remove_file(path);
  }
  UniqueFd fd(::socket(AF_UNIX, kKind, 0));
  const mode_t before = ::umask(0177);
  const bool bound = fd && ::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  const int error = errno;
  ::umask(before);
  if (!bound || ::listen(fd.get(), kBacklog) != 0) {
    throw io_error("cannot listen on " + path.string(), bound ? errno : error);
  }
  return fd;
}

/// What the kernel is asked: whose is this socket? It answers at once.
struct Question {
  nlmsghdr head;
  inet_diag_req_v2 body;
};

template <class Address>
void take_ends(const sockaddr_storage& ours, const sockaddr_storage& theirs, inet_diag_sockid& ends) {
  const auto& here = reinterpret_cast<const Address&>(ours);
  const auto& there = reinterpret_cast<const Address&>(theirs);
  if constexpr (std::is_same_v<Address, sockaddr_in6>) {
    ends.idiag_sport = there.sin6_port;
    ends.idiag_dport = here.sin6_port;
    std::memcpy(ends.idiag_src, &there.sin6_addr, sizeof there.sin6_addr);
    std::memcpy(ends.idiag_dst, &here.sin6_addr, sizeof here.sin6_addr);
  } else {
    ends.idiag_sport = there.sin_port;
    ends.idiag_dport = here.sin_port;
    std::memcpy(ends.idiag_src, &there.sin_addr, sizeof there.sin_addr);
    std::memcpy(ends.idiag_dst, &here.sin_addr, sizeof here.sin_addr);
  }
}

/// The question for the other end's socket. False: it is no TCP connection.
bool ask_for(int connection, inet_diag_req_v2& question) {
  sockaddr_storage ours{};
  sockaddr_storage theirs{};
  socklen_t size = sizeof ours;
  socklen_t their_size = sizeof theirs;
  if (::getsockname(connection, reinterpret_cast<sockaddr*>(&ours), &size) != 0 ||
      ::getpeername(connection, reinterpret_cast<sockaddr*>(&theirs), &their_size) != 0) {
    return false;
  }
  question.sdiag_family = static_cast<std::uint8_t>(ours.ss_family);
  question.sdiag_protocol = IPPROTO_TCP;
  question.idiag_states = ~0U;
  question.id.idiag_cookie[0] = question.id.idiag_cookie[1] = INET_DIAG_NOCOOKIE;
  if (ours.ss_family == AF_INET6) {
    take_ends<sockaddr_in6>(ours, theirs, question.id);
  } else {
    take_ends<sockaddr_in>(ours, theirs, question.id);
  }
  return ours.ss_family == AF_INET6 || ours.ss_family == AF_INET;
}

std::optional<inet_diag_msg> other_end(int connection) {
  Question question{};
  question.head.nlmsg_len = sizeof question;
  question.head.nlmsg_type = SOCK_DIAG_BY_FAMILY;
  question.head.nlmsg_flags = NLM_F_REQUEST;
  const UniqueFd kernel(::socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_SOCK_DIAG));
  if (!kernel || !ask_for(connection, question.body) ||
      ::send(kernel.get(), &question, sizeof question, 0) != static_cast<ssize_t>(sizeof question)) {
    return std::nullopt;
  }
  struct {
    nlmsghdr head;
    inet_diag_msg body;
    std::array<char, 256> more;
  } answer{};
  const ssize_t size = ::recv(kernel.get(), &answer, sizeof answer, MSG_DONTWAIT);
  const bool told = size >= static_cast<ssize_t>(sizeof answer.head + sizeof answer.body) &&
                    answer.head.nlmsg_type == SOCK_DIAG_BY_FAMILY;
  return told ? std::optional(answer.body) : std::nullopt;
}

}  // namespace

UniqueFd listen_on(ListenPlace& place) {
  return place.socket.empty() ? listen_on_tcp(place) : listen_on_unix(place.socket);
}

UniqueFd accept_from(int listener) {
  UniqueFd connection(::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (connection) {
    const int on = 1;  // refused by a Unix socket
    static_cast<void>(::setsockopt(connection.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on));
    const int buffered_bytes = 64 << 10;  // what waits there is lost with the connection, and counts as sent
    static_cast<void>(
        ::setsockopt(connection.get(), SOL_SOCKET, SO_SNDBUF, &buffered_bytes, sizeof buffered_bytes));
  }
  return connection;
}

bool is_own_peer(const UniqueFd& connection) {
  const auto end = other_end(connection.get());
  const bool closed = end && end->idiag_inode == 0;  // such a socket is told to be root's
  return !end || (!closed && (end->idiag_uid == ::geteuid() || end->idiag_uid == 0));
}

}  // namespace terminally
