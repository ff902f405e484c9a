#pragma once

#include <sys/socket.h>

#include <boost/asio.hpp>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/descriptors.hpp"

namespace terminally::test {

/// A tmux server on its socket that is none: takes what clients say with their descriptors, and does as a
/// test has told it. On the event loop, which must outlive it.
class SocketTmux {
 public:
  struct Client {
    std::string bytes;  ///< all that it has said
    std::vector<UniqueFd> descriptors;
    bool gone = false;
    UniqueFd link;

    [[nodiscard]] bool has_introduced_itself() const {
      return bytes.find("new-session") != std::string::npos;
    }
    void say(std::uint32_t kind, std::uint32_t version = 8) const {
      const std::uint32_t header[4] = {kind, sizeof header, version, 0};
      static_cast<void>(::send(link.get(), header, sizeof header, MSG_NOSIGNAL));
    }
    void print(const std::string& text) const {
      static_cast<void>(::send(descriptors.at(1).get(), text.data(), text.size(), MSG_NOSIGNAL));
    }
    void close() { link.reset(); }
  };
  using Does = std::function<void(Client&)>;  ///< whenever a client has said more

  SocketTmux(boost::asio::io_context& io, const std::filesystem::path& socket, Does does)
      : state_(std::make_shared<State>(io, socket, std::move(does))) {
    boost::asio::co_spawn(io, accept(state_), boost::asio::detached);
  }
  SocketTmux(const SocketTmux&) = delete;
  SocketTmux& operator=(const SocketTmux&) = delete;
  ~SocketTmux() {
    state_->acceptor.close();
    for (const auto& client : state_->clients) {
      client->close();
    }
  }

  [[nodiscard]] const std::vector<std::shared_ptr<Client>>& clients() const { return state_->clients; }

 private:
  struct State {
    State(boost::asio::io_context& io, const std::filesystem::path& socket, Does given)
        : acceptor(io, boost::asio::local::stream_protocol::endpoint(socket.string())),
          does(std::move(given)) {}
    boost::asio::local::stream_protocol::acceptor acceptor;
    Does does;
    std::vector<std::shared_ptr<Client>> clients;
  };

  static boost::asio::awaitable<void> accept(std::shared_ptr<State> state) {
    const auto executor = state->acceptor.get_executor();
    for (;;) {
      boost::system::error_code error;
      auto link = co_await state->acceptor.async_accept(
          boost::asio::redirect_error(boost::asio::use_awaitable, error));
      if (error) {
        co_return;
      }
      const auto client = std::make_shared<Client>();
      client->link.reset(link.release());
      state->clients.push_back(client);
      boost::asio::co_spawn(executor, hear(state, client), boost::asio::detached);
    }
  }

  static boost::asio::awaitable<void> hear(std::shared_ptr<State> state, std::shared_ptr<Client> client) {
    boost::asio::steady_timer pause(state->acceptor.get_executor());
    while (client->link && take(*client)) {
      state->does(*client);
      pause.expires_after(std::chrono::milliseconds(1));
      co_await pause.async_wait(boost::asio::use_awaitable);
    }
    client->gone = true;
  }

  /// False: it has closed its end.
  static bool take(Client& client) {
    char bytes[65'536];
    iovec part{bytes, sizeof bytes};
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))];
    msghdr header{};
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    header.msg_control = control;
    header.msg_controllen = sizeof control;
    const ssize_t size = ::recvmsg(client.link.get(), &header, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (const cmsghdr* rights = size > 0 ? CMSG_FIRSTHDR(&header) : nullptr; rights != nullptr) {
      int descriptor = -1;
      std::memcpy(&descriptor, CMSG_DATA(rights), sizeof descriptor);
      client.descriptors.emplace_back(descriptor);
    }
    client.bytes.append(bytes, size > 0 ? static_cast<std::size_t>(size) : 0);
    return size > 0 || (size < 0 && errno == EAGAIN);
  }

  std::shared_ptr<State> state_;
};

}  // namespace terminally::test
