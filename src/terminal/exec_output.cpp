#include "terminal/exec_output.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/asio.hpp>
#include <cerrno>
#include <utility>

#include "base/descriptors.hpp"
#include "base/error.hpp"
#include "base/timeout.hpp"
#include "terminal/print.hpp"

namespace terminally {
namespace {

namespace asio = boost::asio;

/// How long it may take nothing, once we are told to end.
constexpr Milliseconds kLastWords{300};

/// Stdout, opened anew, so that not to wait there is our own affair: others may share it. None where that
/// cannot be done, or needs not: a file takes everything at once.
UniqueFd stdout_without_waiting() {
  struct stat status{};
  const bool pipe = ::fstat(STDOUT_FILENO, &status) == 0 && S_ISFIFO(status.st_mode);
  if (!pipe && ::isatty(STDOUT_FILENO) == 0) {
    return {};
  }
  return UniqueFd(::open("/proc/self/fd/1", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
}

}  // namespace

ExecOutput::ExecOutput(asio::io_context& io, Heartbeat& heartbeat,
                       std::function<void(const std::exception_ptr&)> failed)
    : io_(io),
      heartbeat_(heartbeat),
      failed_(std::move(failed)),
      out_(io),
      on_terminal_(::isatty(STDOUT_FILENO) != 0) {
  UniqueFd fd = stdout_without_waiting();
  if (fd) {
    out_.assign(fd.get());
    static_cast<void>(fd.release());
  }
}

void ExecOutput::follow(LogFollower output) {
  output_.emplace(std::move(output));
  asio::co_spawn(io_, write(), [this](const std::exception_ptr& failure) {
    output_.reset();  // what it follows is watched no more: then the event loop may end
    written_.set();
    if (failure) {
      failed_(failure);
    }
  });
}

void ExecOutput::finish() {
  if (output_) {
    output_->finish();
  } else {
    written_.set();
  }
}

void ExecOutput::hurry() {
  hurries_ = true;
  if (out_.is_open()) {
    out_.cancel();
  }
}

/// Of nothing: what is kept until the end.
std::string ExecOutput::shown(std::string_view bytes) {
  if (bytes.empty()) {
    return line_ends_.rest();
  }
  return on_terminal_ ? std::string(bytes) : line_ends_.as_printed(bytes);
}

asio::awaitable<void> ExecOutput::write() {
  bool takes = true;
  while (takes) {
    const std::optional<PaneLog::Slice> slice = co_await output_->next();
    if (slice && slice->gap_bytes) {
      complain(std::to_string(*slice->gap_bytes) +
               " bytes of the output were gone from the log before they were read here");
    }
    if (slice && slice->bytes.empty()) {
      continue;
    }
    const std::string_view bytes = slice ? std::string_view(slice->bytes) : std::string_view();
    std::string text = shown(bytes);
    heartbeat_.hold();
    takes = co_await write_all(std::move(text)) && slice;
    heartbeat_.output(bytes);
  }
}

/// False: who reads it takes nothing, and is not waited for.
asio::awaitable<bool> ExecOutput::write_all(std::string text) {
  if (!out_.is_open()) {
    print(text);
    co_return true;
  }
  writing_ = std::move(text);
  done_ = 0;
  while (done_ < writing_.size()) {
    const auto give_up_at = hurries_ ? Clock::now() + kLastWords : Clock::time_point::max();
    if (!co_await run_until(give_up_at, write_some())) {
      co_return false;
    }
  }
  co_return true;
}

/// What could not be written in the time that is left to it never is.
asio::awaitable<void> ExecOutput::write_some() {
  boost::system::error_code error;
  done_ += co_await out_.async_write_some(asio::buffer(writing_) + done_,
                                          asio::redirect_error(asio::use_awaitable, error));
  if (error == asio::error::broken_pipe) {
    throw OutputClosed();
  }
  if (error && error != asio::error::operation_aborted) {
    throw io_error("cannot write to stdout", error.value());
  }
}

}  // namespace terminally
