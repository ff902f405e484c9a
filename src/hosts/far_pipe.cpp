// Runs the command that reaches a far side, waits for its hello, and then passes lines both ways.
#include "hosts/far_pipe.hpp"

#include <algorithm>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <chrono>
#include <string>
#include <utility>
#include <variant>

#include "base/error.hpp"
#include "hosts/far_messages.hpp"
#include "hosts/hello.hpp"
#include "hosts/pipe_errors.hpp"

namespace terminally {
namespace {

using boost::asio::awaitable;

constexpr std::size_t kWrittenAtOnce = std::size_t{64} << 10U;
constexpr std::size_t kMostComplained = 4'096;
constexpr Milliseconds kLastWords{500};
constexpr std::size_t kSlowest = 32;  // bytes a millisecond that the slowest link carries
/// What was taken is not all on its way still; a far side that hangs is given up in less than a minute.
constexpr Milliseconds kMostOnTheWay{30'000};

/// A command may be a shell that waits for another program, so its process group ends with it. That of ssh
/// does not: a proxy command that ssh started serves its kept connection, which outlives this ssh.
ChildProcess::Kept kept(const HostEntry& host) {
  return host.ssh.empty() ? ChildProcess::Kept::as_session : ChildProcess::Kept::no;
}

awaitable<void> has_ended_a_while_ago(ChildProcess& process) {
  co_await process.ended();
  co_await sleep_for(kLastWords);
}

}  // namespace

awaitable<std::string> read_while_it_lives(ChildProcess& process) {
  using boost::asio::experimental::awaitable_operators::operator||;
  auto first = co_await (process.read_some() || has_ended_a_while_ago(process));
  co_return first.index() == 0 ? std::get<0>(std::move(first)) : std::string();
}

FarPipe::FarPipe(const boost::asio::any_io_executor& executor, HostEntry host, const Argv& argv)
    : host_(std::move(host)),
      process_(executor, argv, {}, kept(host_)),
      framer_(kLongestFarLine),
      heard_(Clock::now()) {}

void FarPipe::throw_ended(const std::string& printed, bool too_much, int exit_code) const {
  PipeEnd end;
  end.exit_code = exit_code;
  end.printed = printed;
  end.complained = complained_;
  end.too_much = too_much;
  throw Error(ErrorCode::io, explain_pipe(host_, end));
}

void FarPipe::throw_late(Milliseconds waited) const {
  PipeEnd end;
  end.printed = printed_;
  end.complained = complained_;
  end.waited_s = static_cast<long>(std::chrono::duration_cast<std::chrono::seconds>(waited).count());
  throw Error(ErrorCode::io, explain_pipe(host_, end));
}

awaitable<void> FarPipe::hello(std::string nonce) {
  HelloReader hello(nonce);
  for (;;) {
    const std::string bytes = co_await read_while_it_lives(process_);
    if (bytes.empty()) {
      co_await run_until(Clock::now() + kLastWords, process_.ended());
      co_await run_until(Clock::now() + kLastWords, errors_are_read_.wait());
      const int code = process_.has_ended() ? process_.exit_code() : 0;
      throw_ended(std::string(hello.printed()), false, code);
    }
    const HelloReader::State state = hello.feed(bytes);
    printed_ = hello.printed();
    if (state == HelloReader::State::too_much) {
      throw_ended(printed_, true, 0);
    }
    if (state == HelloReader::State::seen) {
      framer_.feed(hello.take_rest());
      co_return;
    }
  }
}

awaitable<std::optional<LineFramer::Line>> FarPipe::line() {
  for (;;) {
    if (const auto line = framer_.next()) {
      co_return line;
    }
    const std::string bytes = co_await process_.read_some();
    heard_ = Clock::now();
    if (bytes.empty()) {
      co_return std::nullopt;
    }
    framer_.feed(bytes);
  }
}

awaitable<std::string> FarPipe::last_words() {
  co_await run_until(Clock::now() + kLastWords, errors_are_read_.wait());
  co_return complained_;
}

bool FarPipe::send(const std::string& line) {
  if (unsent_.size() + line.size() > kMostUnsentBytes) {
    return false;
  }
  unsent_ += line;
  unsent_ += '\n';
  has_unsent_.set();
  return true;
}

awaitable<void> FarPipe::write_loop() {
  while (!over_) {
    co_await has_unsent_.wait();
    has_unsent_.clear();
    const std::string text = std::exchange(unsent_, {});
    for (std::size_t at = 0; at < text.size() && !over_; at += kWrittenAtOnce) {
      const std::string piece = text.substr(at, kWrittenAtOnce);
      const bool taken = co_await process_.write(piece);
      if (!taken) {
        co_return;  // the read loop learns the reason
      }
      // A ping waits behind the bytes on their way.
      heard_ = std::min(heard_ + Milliseconds(piece.size() / kSlowest), Clock::now() + kMostOnTheWay);
    }
  }
}

awaitable<void> FarPipe::read_errors() {
  for (;;) {
    const std::string bytes = co_await process_.read_some_errors();
    if (bytes.empty()) {
      break;
    }
    complained_ += bytes;
    if (complained_.size() > kMostComplained) {
      complained_.erase(0, complained_.size() - kMostComplained);
    }
  }
  errors_are_read_.set();
}

void FarPipe::end() {
  over_ = true;
  has_unsent_.set();
  process_.end();
}

}  // namespace terminally
