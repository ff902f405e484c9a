#include <boost/asio.hpp>
#include <exception>
#include <functional>
#include <utility>

#include "hosts/far_session.hpp"
#include "hosts/hello.hpp"
#include "hosts/pipe_errors.hpp"

// What of a session goes on at its pipe, side by side.

namespace terminally {
namespace {

using boost::asio::awaitable;

constexpr std::size_t kWrittenAtOnce = std::size_t{64} << 10U;
constexpr std::size_t kReadAtOnce = std::size_t{64} << 10U;
constexpr std::size_t kMostComplained = 4'096;
constexpr Milliseconds kPingEvery{5'000};  // the far side ends where nothing comes for 20 s
constexpr Milliseconds kPingWithin{10'000};
constexpr Milliseconds kLastWords{500};
constexpr std::size_t kSlowest = 32;  // bytes a millisecond that a link carries at least

}  // namespace

/// Each keeps the session alive until it ends, which `close` makes it.
void FarSession::spawn(awaitable<void> work) {
  boost::asio::co_spawn(pipe_.executor(), std::move(work),
                        [self = shared_from_this()](const std::exception_ptr&) {});
}

void FarSession::throw_ended(const std::string& printed, bool too_much, int exit_code) const {
  PipeEnd end;
  end.exit_code = exit_code;
  end.printed = printed;
  end.complained = complained_;
  end.too_much = too_much;
  throw Error(ErrorCode::io, explain_pipe(host_, end));
}

awaitable<void> FarSession::read_hello(std::string nonce) {
  const auto self = shared_from_this();
  HelloReader hello(nonce);
  for (;;) {
    const std::string bytes = co_await pipe_.read_some();
    if (bytes.empty()) {
      co_await finish_by(Clock::now() + kLastWords, pipe_.ended());
      co_await finish_by(Clock::now() + kLastWords, read_over_.wait());
      const int code = pipe_.has_ended() ? pipe_.exit_code() : 0;
      throw_ended(std::string(hello.printed()), false, code);
    }
    const HelloReader::State state = hello.feed(bytes);
    printed_ = hello.printed();
    if (state == HelloReader::State::too_much) {
      close("it prints on and on");
      throw_ended(printed_, true, 0);
    }
    if (state == HelloReader::State::seen) {
      version_ = hello.version();
      framer_.feed(hello.take_rest());
      co_return;
    }
  }
}

awaitable<void> FarSession::write_loop() {
  const auto self = shared_from_this();
  while (!lost_) {
    co_await has_unsent_.wait();
    has_unsent_.clear();
    const std::string text = std::exchange(unsent_, {});
    for (std::size_t at = 0; at < text.size() && !lost_; at += kWrittenAtOnce) {
      const std::string piece = text.substr(at, kWrittenAtOnce);
      const bool taken = co_await pipe_.write(piece);
      if (!taken) {
        co_return;  // why, the reader sees
      }
      heard_ += Milliseconds(piece.size() / kSlowest);  // a ping waits behind what is on its way
    }
  }
}

awaitable<void> FarSession::read_loop() {
  const auto self = shared_from_this();
  while (!lost_) {
    for (auto line = framer_.next(); line && !lost_; line = framer_.next()) {
      co_await take(*line);
    }
    if (lost_) {
      break;
    }
    const std::string bytes = co_await pipe_.read_some();
    heard_ = Clock::now();
    if (bytes.empty() && !lost_) {
      co_await finish_by(Clock::now() + kLastWords, read_over_.wait());
      const std::string words = complained_.empty() ? "" : ": " + complained_;
      close("the link ended" + words);
    }
    framer_.feed(bytes);
  }
}

/// What answers nobody is not read.
awaitable<void> FarSession::take(LineFramer::Line line) {
  if (line.too_long) {
    co_return close("it sent a line that is too long to be an answer");
  }
  const auto waits = [this](std::uint64_t id) { return requests_.waits(id); };
  if (answers_nobody(line.text, waits)) {
    co_return;
  }
  FarMessage message;
  std::string wrong;
  try {
    message = co_await read(line.text);
  } catch (const Error& error) {
    wrong = error.what();
  }
  if (!wrong.empty()) {
    co_return close(wrong);
  }
  requests_.take(std::move(message));
}

/// Much of it beside the event loop.
awaitable<FarMessage> FarSession::read(std::string_view line) {
  if (line.size() <= kReadAtOnce) {
    co_return read_far_message(line);
  }
  const auto message = std::make_shared<FarMessage>();
  std::function<void()> work = [line = std::string(line), message] { *message = read_far_message(line); };
  co_await reader_.run(line.size(), std::move(work));
  co_return std::move(*message);
}

awaitable<void> FarSession::read_errors() {
  const auto self = shared_from_this();
  for (;;) {
    const std::string bytes = co_await pipe_.read_some_errors();
    if (bytes.empty()) {
      break;
    }
    complained_ += bytes;
    if (complained_.size() > kMostComplained) {
      complained_.erase(0, complained_.size() - kMostComplained);
    }
  }
  read_over_.set();
}

/// Who was stopped for a while finds the answer to read before it is missed.
awaitable<void> FarSession::ping_loop() {
  const auto self = shared_from_this();
  while (!lost_) {
    co_await sleep_for(kPingEvery);
    if (lost_) {
      co_return;
    }
    const auto asked = Clock::now();
    bool answered = false;
    try {
      co_await ping(asked + kPingWithin);
      answered = true;
    } catch (const Error&) {  // NOLINT(bugprone-empty-catch): looked at below
    }
    if (answered) {
      continue;
    }
    co_await sleep_for(kLastWords);
    if (heard_ < asked && !lost_) {
      silent_ = true;
      close("it was not heard of for " + std::to_string(kPingWithin.count() / 1'000) + " s");
    }
  }
}

}  // namespace terminally
