// Hands one-time links over to this user's other processes.
#include "http/links.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <boost/asio.hpp>
#include <cerrno>
#include <sstream>
#include <utility>

#include "base/error.hpp"
#include "base/timeout.hpp"
#include "http/acceptor.hpp"
#include "system/unix_peer.hpp"

namespace terminally {
namespace {

namespace asio = boost::asio;
using LocalSocket = asio::local::stream_protocol::socket;

constexpr std::string_view kExec = "exec";
constexpr std::string_view kView = "view";
constexpr Milliseconds kAnswersWithin{5'000};

Awaitable<void> answer_one(LocalSocket socket, std::function<Link(Role)> make) {
  constexpr auto kQuietly = asio::as_tuple(asio::use_awaitable);
  constexpr std::size_t kMostQuestion = 16;
  std::string question;
  const auto [error, size] =
      co_await asio::async_read_until(socket, asio::dynamic_buffer(question, kMostQuestion), '\n', kQuietly);
  const std::string_view word = std::string_view(question).substr(0, question.find('\n'));
  if (error || (word != kExec && word != kView)) {
    co_return;
  }
  const Link link = make(word == kExec ? Role::exec : Role::view);
  const std::string answer = link.url + "\n" + link.build + "\n" + std::to_string(link.pid) + "\n";
  co_await asio::async_write(socket, asio::buffer(answer), kQuietly);
}

/// Whether the descriptor is ready by then.
bool wait_for(int fd, short events, Clock::time_point until) {
  const auto left = std::max(time_until(until), Milliseconds(0));
  pollfd wait{fd, events, 0};
  return ::poll(&wait, 1, static_cast<int>(left.count())) > 0;
}

/// All that the other side says, until it closes; what came by then otherwise.
std::string read_all(int fd, Clock::time_point until) {
  std::string text;
  std::array<char, 1024> piece{};
  while (wait_for(fd, POLLIN, until)) {
    const ssize_t size = ::recv(fd, piece.data(), piece.size(), 0);
    if (size == 0 || (size < 0 && errno != EINTR && errno != EAGAIN)) {
      break;
    }
    text.append(piece.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
  }
  return text;
}

}  // namespace

Awaitable<void> answer_for_links(UniqueFd listener, std::function<Link(Role)> make) {
  const auto executor = co_await asio::this_coro::executor;
  std::function<void(UniqueFd)> take = [executor, make = std::move(make)](UniqueFd connection) {
    LocalSocket socket(executor, asio::local::stream_protocol(), connection.release());
    asio::co_spawn(executor, run_until(Clock::now() + kAnswersWithin, answer_one(std::move(socket), make)),
                   asio::detached);
  };
  co_await accept_all(std::move(listener), std::move(take));
}

std::optional<Link> ask_for_link(const std::filesystem::path& socket, Role role) {
  const UnixPeer peer = connect_to(socket);
  if (!peer.listens) {
    return std::nullopt;
  }
  const auto until = Clock::now() + kAnswersWithin;
  const std::string question = std::string(role == Role::exec ? kExec : kView) + "\n";
  std::string answer;
  if (peer.connection && ::send(peer.connection.get(), question.data(), question.size(), MSG_NOSIGNAL) ==
                             static_cast<ssize_t>(question.size())) {
    answer = read_all(peer.connection.get(), until);
  }
  std::istringstream lines(answer);
  Link link;
  if (!std::getline(lines, link.url) || !std::getline(lines, link.build) || !(lines >> link.pid)) {
    throw Error(ErrorCode::io, "the page's server gives no answer (" + socket.string() + ", pid " +
                                   std::to_string(peer.pid) + "); end it, and try again");
  }
  return link;
}

}  // namespace terminally
