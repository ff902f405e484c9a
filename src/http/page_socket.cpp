// Serves one WebSocket: one coroutine reads, one writes, and the site's own lives between the two.
#include "http/page_socket.hpp"

#include <boost/asio.hpp>
#include <boost/beast/core/buffers_to_string.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/websocket.hpp>
#include <deque>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/event.hpp"
#include "base/spawned.hpp"
#include "base/utf8.hpp"
#include "http/house.hpp"

namespace terminally {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace websocket = beast::websocket;

constexpr auto kQuietly = asio::as_tuple(asio::use_awaitable);
constexpr const char* kProtocol = "terminally.1";
constexpr std::size_t kMostReason = 123;
constexpr Milliseconds kHandshakeWithin{10'000};
constexpr Milliseconds kLastWord{500};     ///< for the site, when the server ends
constexpr Milliseconds kAfterPeer{5'000};  ///< for the site, when the peer is gone
constexpr Milliseconds kGoodbye{1'000};

struct Outgoing {
  bool binary;
  std::string bytes;
};

}  // namespace

struct PageSocket::State {
  State(Stream over, Visitor who) : stream(std::move(over)), visitor(std::move(who)) {}

  void set_options() {
    websocket::stream_base::timeout timeout{};
    timeout.handshake_timeout = kHandshakeWithin;
    timeout.idle_timeout = kSilence;
    timeout.keep_alive_pings = true;
    stream.set_option(timeout);
    stream.set_option(websocket::stream_base::decorator([](websocket::response_type& response) {
      response.set(beast::http::field::sec_websocket_protocol, kProtocol);
    }));
    stream.read_message_max(kMostMessage);
    stream.auto_fragment(false);
  }

  /// To be waited for; the site has until `limit`.
  void set_limit(Milliseconds time) {
    limit = std::min(limit, Clock::now() + time);
    news.notify();
  }

  Awaitable<void> read_all() {
    beast::flat_buffer buffer;
    for (;;) {
      while (inbox_bytes > kMostInbox && !closing) {
        co_await received.wait();
      }
      const auto [error, size] = co_await stream.async_read(buffer, kQuietly);
      if (error) {
        gone = true;
        break;
      }
      if (!stream.got_text()) {
        say_goodbye("only text is understood", websocket::close_code::unknown_data);
        break;
      }
      inbox_bytes += size;
      inbox.push_back(beast::buffers_to_string(buffer.data()));
      buffer.consume(buffer.size());
      arrived.notify();
    }
    for (Event* event : {&arrived, &outbox_changed, &sent}) {
      event->notify();
    }
    set_limit(kAfterPeer);
  }

  Awaitable<void> write_all() {
    boost::system::error_code failed;
    while (!failed && !gone) {
      if (outbox.empty() && closing) {
        break;
      }
      if (outbox.empty()) {
        co_await outbox_changed.wait();
        continue;
      }
      const Outgoing next = std::move(outbox.front());
      outbox.pop_front();
      stream.binary(next.binary);
      const auto [error, size] = co_await stream.async_write(asio::buffer(next.bytes), kQuietly);
      failed = error;
      unsent -= next.bytes.size();
      sent.notify();
    }
    mute = true;
    outbox.clear();
    sent.notify();
    if (!failed && !gone) {
      const websocket::close_reason reason(code, why);
      co_await stream.async_close(reason, kQuietly);
    }
  }

  Awaitable<void> live(PageSocket& socket, std::map<std::string, std::string> query, Site& site) {
    try {
      co_await site.live(socket, std::move(query));
    } catch (const Error& error) {
      say_goodbye(error.what(), websocket::close_code::normal);
    } catch (const std::exception& error) {
      say_goodbye(error.what(), websocket::close_code::internal_error);
    }
    lived = true;
    news.notify();
  }

  Awaitable<bool> send(bool binary, std::string bytes) {
    if (mute || gone) {
      co_return false;
    }
    unsent += bytes.size();
    outbox.push_back({binary, std::move(bytes)});
    outbox_changed.notify();
    while (unsent > kMostUnsent && !mute && !gone) {
      co_await sent.wait();
    }
    co_return !mute && !gone;
  }

  void say_goodbye(std::string_view reason, websocket::close_code because) {
    if (!closing) {
      closing = true;
      code = because;
      const std::string valid = to_valid_utf8(reason);
      why = std::string(whole_characters(valid, kMostReason));
    }
    for (Event* event : {&outbox_changed, &arrived, &received}) {
      event->notify();
    }
  }

  void cut() { beast::get_lowest_layer(stream).close(); }

  websocket::stream<Stream> stream;
  Visitor visitor;
  std::deque<std::string> inbox;
  std::size_t inbox_bytes = 0;
  std::deque<Outgoing> outbox;
  std::size_t unsent = 0;
  Event arrived;         ///< in the inbox, or nothing will arrive any more
  Event received;        ///< from the inbox
  Event outbox_changed;  ///< or the writer is to stop
  Event sent;
  Event news;            ///< for `serve`
  bool gone = false;     ///< nothing will be read any more
  bool mute = false;     ///< nothing will be sent any more
  bool closing = false;  ///< once all is sent
  bool ending = false;   ///< the server ends
  bool lived = false;    ///< the site has returned
  std::string why;       ///< it is closed
  websocket::close_code code = websocket::close_code::normal;
  Clock::time_point limit = Clock::time_point::max();  ///< when the site is cancelled
};

PageSocket::PageSocket(Stream stream, Visitor visitor)
    : state_(std::make_unique<State>(std::move(stream), std::move(visitor))) {}

PageSocket::~PageSocket() = default;

Awaitable<void> PageSocket::serve(Upgrade upgrade, std::map<std::string, std::string> query, Site& site) {
  State& state = *state_;
  state.set_options();
  const auto [error] = co_await state.stream.async_accept(upgrade, kQuietly);
  if (error) {
    co_return;
  }
  const auto executor = co_await asio::this_coro::executor;
  const Spawned<> reading(executor, state.read_all());
  const Spawned<> writing(executor, state.write_all());
  const Spawned<> living(executor, state.live(*this, std::move(query), site));
  while (!state.lived) {
    const bool happened = co_await state.news.wait_by(state.limit);
    if (!happened && !state.lived) {
      state.limit = Clock::time_point::max();
      living.cancel();
    }
  }
  state.say_goodbye("", state.ending ? websocket::close_code::going_away : websocket::close_code::normal);
  co_await writing.wait_by(Clock::now() + kGoodbye);
  state.cut();
  co_await writing.wait_by(Clock::time_point::max());
  co_await reading.wait_by(Clock::time_point::max());
}

void PageSocket::finish() {
  state_->ending = true;
  state_->arrived.notify();
  state_->set_limit(kLastWord);
}

void PageSocket::cut() {
  state_->cut();
}

const Visitor& PageSocket::visitor() const {
  return state_->visitor;
}

Awaitable<std::optional<std::string>> PageSocket::receive() {
  State& state = *state_;
  while (state.inbox.empty() && !state.gone && !state.closing && !state.ending) {
    co_await state.arrived.wait();
  }
  if (state.inbox.empty() || state.closing || state.ending) {
    co_return std::nullopt;
  }
  std::string message = std::move(state.inbox.front());
  state.inbox.pop_front();
  state.inbox_bytes -= message.size();
  state.received.notify();
  co_return message;
}

bool PageSocket::server_ends() const {
  return state_->ending;
}

Awaitable<bool> PageSocket::send_text(std::string message) {
  return state_->send(false, std::move(message));
}

Awaitable<bool> PageSocket::send_binary(std::string message) {
  return state_->send(true, std::move(message));
}

void PageSocket::close(std::string why) {
  state_->say_goodbye(why, websocket::close_code::normal);
}

}  // namespace terminally
