// Prints on stderr, after each 5 s of silence, how long a command has been running.
#include "terminal/heartbeat.hpp"

#include <unistd.h>

#include <cstdio>

namespace terminally {
namespace {

constexpr Milliseconds kSilence{5'000};

}  // namespace

Heartbeat::Heartbeat(const boost::asio::any_io_executor& executor)
    : timer_(executor), on_terminal_(::isatty(STDERR_FILENO) != 0) {}

void Heartbeat::begin() {
  begun_ = Clock::now();
  plan();
}

void Heartbeat::hold() {
  timer_.cancel();
  hide();
}

void Heartbeat::output(std::string_view bytes) {
  at_line_start_ = bytes.empty() ? at_line_start_ : bytes.back() == '\n';
  plan();
}

void Heartbeat::end() {
  on_terminal_ = false;
  timer_.cancel();
  hide();
}

void Heartbeat::plan() {
  if (!on_terminal_) {
    return;
  }
  timer_.expires_after(kSilence);
  timer_.async_wait([this](const boost::system::error_code& error) {
    if (!error && at_line_start_) {
      const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - begun_).count();
      std::fprintf(stderr, "\r\033[Kterminally-mcp: running for %lld s", static_cast<long long>(seconds));
      shown_ = true;
    }
    if (!error) {
      plan();
    }
  });
}

void Heartbeat::hide() {
  if (shown_) {
    std::fputs("\r\033[K", stderr);
    shown_ = false;
  }
}

}  // namespace terminally
