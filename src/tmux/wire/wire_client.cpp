// Our own client of a tmux server, in control mode.
#include "tmux/wire/wire_client.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <boost/asio.hpp>
#include <cerrno>
#include <cstring>

#include "tmux/wire/channel_session.hpp"

namespace terminally {
namespace {

namespace asio = boost::asio;

/// False: tmux is gone, or has no more of us. All of it fits: the socket is new.
bool send(int socket, std::string bytes, int descriptor = -1) {
  msghdr header{};
  iovec part{bytes.data(), bytes.size()};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof descriptor)] = {};
  if (descriptor >= 0) {
    header.msg_control = control;
    header.msg_controllen = sizeof control;
    cmsghdr* const rights = CMSG_FIRSTHDR(&header);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(sizeof descriptor);
    std::memcpy(CMSG_DATA(rights), &descriptor, sizeof descriptor);
  }
  return ::sendmsg(socket, &header, MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.size());
}

bool send(int socket, const Introduction& introduction, int commands_and_answers) {
  return send(socket, introduction.until_input, commands_and_answers) &&
         send(socket, introduction.until_output, commands_and_answers) && send(socket, introduction.rest);
}

}  // namespace

/// Of what runs by itself, too.
struct WireClient::State {
  explicit State(const asio::any_io_executor& executor) : link(executor), text(executor) {}

  /// Takes what the server has said.
  void look() {
    char bytes[4'096];
    while (link.is_open()) {
      const ssize_t size = ::recv(link.native_handle(), bytes, sizeof bytes, MSG_DONTWAIT);
      if (size < 0 && errno == EAGAIN) {
        return;
      }
      if (size <= 0 || !reader.feed({bytes, static_cast<std::size_t>(size)})) {
        boost::system::error_code ignored;
        link.close(ignored);  // tmux waits for that
      }
    }
  }

  asio::local::stream_protocol::socket link;  ///< messages, while we are its client
  asio::local::stream_protocol::socket text;  ///< commands there, answers back
  WireReader reader;
};

WireClient::WireClient(const asio::any_io_executor& executor, UnixPeer server, WireForm form)
    : state_(std::make_shared<State>(executor)) {
  Pipe text = make_socket_pipe();
  const int pid = ::getpid();
  const bool sent = send(
      server.connection.get(),
      introduce(form, kChannelName + std::to_string(pid), pid, attach_to_channel_session()), text.read.get());
  if (sent) {
    state_->link.assign(asio::local::stream_protocol(), server.connection.release());
  }
  state_->text.assign(asio::local::stream_protocol(), text.write.release());
}

WireClient::~WireClient() {
  end();
}

bool WireClient::has_ended() {
  state_->look();
  return !state_->link.is_open();
}

bool WireClient::was_spoken_to() const {
  return state_->reader.was_spoken_to();
}

Awaitable<bool> WireClient::write(std::string text) {
  const auto state = state_;
  boost::system::error_code error;
  co_await asio::async_write(state->text, asio::buffer(text),
                             asio::redirect_error(asio::use_awaitable, error));
  co_return !error;
}

Awaitable<std::string> WireClient::read_some() {
  const auto state = state_;
  std::string bytes(std::size_t{16} << 10U, '\0');
  boost::system::error_code error;
  const std::size_t size = co_await state->text.async_read_some(
      asio::buffer(bytes), asio::redirect_error(asio::use_awaitable, error));
  bytes.resize(size);
  co_return bytes;
}

Awaitable<void> WireClient::ended() {
  const auto state = state_;
  for (state->look(); state->link.is_open(); state->look()) {
    boost::system::error_code error;
    co_await state->link.async_wait(asio::socket_base::wait_read,
                                    asio::redirect_error(asio::use_awaitable, error));
  }
}

void WireClient::end() {
  boost::system::error_code ignored;
  state_->link.close(ignored);
  state_->text.close(ignored);
}

}  // namespace terminally
