// A pipe to the program on a host that serves a page of this machine.
#include "far_page/page_link.hpp"

#include <boost/asio.hpp>
#include <exception>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/files.hpp"
#include "far_page/piped_page.hpp"
#include "hosts/pipe_command.hpp"

namespace terminally {
namespace {

constexpr Milliseconds kPingEvery{5'000};
constexpr Milliseconds kPongWithin{10'000};
/// More waits for a host only where it reads nothing: a page's messages are short.
constexpr std::size_t kMostUnsentLines = std::size_t{1} << 20U;

/// Words of any bytes may be in it: they travel in hexadecimal digits.
Argv argv_of(const FarView& view, const std::string& nonce) {
  std::vector<std::string> words = {"--instance", view.instance};
  words.insert(words.end(), view.flags.begin(), view.flags.end());
  words.insert(words.end(), {"gateway", "0", nonce, "--page", name_of(view.visitor)});
  return relay_argv(view.host, words, false);
}

}  // namespace

PageLink::PageLink(const boost::asio::any_io_executor& executor, HostEntry host, const Argv& argv)
    : pipe_(executor, std::move(host), argv) {}

Awaitable<std::shared_ptr<PageLink>> PageLink::open(FarView view) {
  const auto executor = co_await boost::asio::this_coro::executor;
  std::string nonce = random_hex(16);
  const Argv argv = argv_of(view, nonce);
  auto link = std::make_shared<PageLink>(executor, view.host, argv);
  link->spawn(link->pipe_.read_errors());
  std::exception_ptr failure;
  try {
    const bool in_time = co_await run_until(Clock::now() + kHelloWithin, link->pipe_.hello(std::move(nonce)));
    if (!in_time) {
      link->pipe_.throw_late(kHelloWithin);
    }
  } catch (...) {
    failure = std::current_exception();
  }
  if (failure) {
    link->close("no hello");
    std::rethrow_exception(failure);
  }
  link->spawn(link->pipe_.write_loop());
  link->spawn(link->ping_loop());
  co_return link;
}

/// The coroutine keeps the link alive until the coroutine ends; `close` makes it end.
void PageLink::spawn(Awaitable<void> work) {
  boost::asio::co_spawn(pipe_.executor(), std::move(work),
                        [self = shared_from_this()](const std::exception_ptr&) {});
}

void PageLink::close(const std::string& why) {
  if (!std::exchange(lost_, true)) {
    why_ = why;
    pong_.notify();
    pipe_.end();
  }
}

void PageLink::send(const std::string& line) {
  if (lost_) {
    return;
  }
  if (pipe_.unsent_bytes() + line.size() > kMostUnsentLines || !pipe_.send(line)) {
    close("the host reads nothing of what is sent to it");
  }
}

Awaitable<std::optional<LineOfHost>> PageLink::next() {
  const auto self = shared_from_this();  // who waits may be gone before the pipe is
  while (!lost_) {
    listens_ = true;
    const auto line = co_await pipe_.line();
    listens_ = false;
    if (!line && !lost_) {
      const std::string words = co_await pipe_.last_words();
      close("the link ended" + (words.empty() ? std::string() : ": " + words));
    }
    if (lost_ || !line || line->too_long) {
      continue;
    }
    LineOfHost said = read_line_of_host(line->text);
    if (const auto* const pong = std::get_if<PipedPing>(&said); pong != nullptr && pong->number == pings_) {
      ponged_ = pings_;
      round_trip_ = std::chrono::duration_cast<Milliseconds>(Clock::now() - pinged_);
      pong_.notify();
    }
    co_return said;
  }
  co_return std::nullopt;
}

/// A page that takes nothing for a while leaves pongs unread: that is no silence of the host.
Awaitable<void> PageLink::ping_loop() {
  while (!lost_) {
    pinged_ = Clock::now();
    send(ping_line(++pings_));
    while (!lost_ && ponged_ != pings_ && Clock::now() < pinged_ + kPongWithin) {
      [[maybe_unused]] const bool woken = co_await pong_.wait_by(pinged_ + kPongWithin);
    }
    if (ponged_ != pings_ && listens_ && pipe_.heard() < pinged_) {
      close("no answer within " + std::to_string(kPongWithin.count() / 1'000) + " s");
    }
    co_await sleep_until(pinged_ + kPingEvery);
  }
}

}  // namespace terminally
