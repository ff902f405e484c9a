// Passes standard input that is no terminal on to a command, through a named pipe.
#include "terminal/exec_input.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio.hpp>
#include <cerrno>
#include <utility>

#include "base/descriptors.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "terminal/print.hpp"

namespace terminally {
namespace {

namespace asio = boost::asio;

constexpr std::size_t kReadAtOnce = std::size_t{64} << 10U;
/// How soon we look again whether the command's shell has opened the pipe: soon, then seldom.
constexpr Milliseconds kLookSoon{1};
constexpr Milliseconds kLookSeldom{20};

std::filesystem::path make_pipe_in(const std::filesystem::path& directory) {
  make_private_directory(directory);  // that of files comes with the first command
  std::filesystem::path path = directory / ("input-" + random_hex(8));
  if (::mkfifo(path.c_str(), 0600) != 0) {
    throw io_error("standard input cannot be passed on: no named pipe can be made in " + directory.string(),
                   errno);
  }
  return path;
}

/// Where memory takes no file (it is full), in the runtime directory.
std::filesystem::path make_pipe_of(const Instance& instance) {
  try {
    return make_pipe_in(instance.files());
  } catch (const Error&) {
    return make_pipe_in(instance.runtime());
  }
}

/// Standard input, where it may let us wait; a pipe opened anew, so that not to wait in a read is our own
/// affair: others may share it. None where it is a file, which epoll refuses.
UniqueFd stdin_that_waits() {
  struct stat input{};
  if (::fstat(STDIN_FILENO, &input) != 0 || (!S_ISFIFO(input.st_mode) && !S_ISSOCK(input.st_mode))) {
    return {};
  }
  UniqueFd anew(::open("/proc/self/fd/0", O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  return anew ? std::move(anew) : UniqueFd(::dup(STDIN_FILENO));
}

}  // namespace

void ExecInput::make_pipe(const Instance& instance) {
  pipe_ = make_pipe_of(instance);
}

void ExecInput::begin() {
  if (pipe_.empty()) {
    return;
  }
  if (UniqueFd waits = stdin_that_waits()) {
    in_.assign(waits.release());
  }
  asio::co_spawn(io_, pass_on(), asio::detached);
}

void ExecInput::end() {
  over_ = true;
  timer_.cancel();
  boost::system::error_code ignored;
  in_.close(ignored);
  out_.close(ignored);
  if (!pipe_.empty()) {
    remove_file(pipe_);
  }
}

asio::awaitable<void> ExecInput::pass_on() {
  bool goes_on = co_await opened();
  while (goes_on) {
    goes_on = co_await read_some();
    goes_on = goes_on && co_await write_all();
  }
  boost::system::error_code ignored;
  out_.close(ignored);
}

/// Returns once the command's shell waits at the other end. False: it never will.
asio::awaitable<bool> ExecInput::opened() {
  Milliseconds pause = kLookSoon;
  while (!over_) {
    const int fd = ::open(pipe_.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd >= 0) {
      out_.assign(fd);
      taken_ = true;
      co_return true;
    }
    if (errno != ENXIO && errno != EINTR) {
      complain(io_error("standard input is not passed on: cannot open " + pipe_.string(), errno).what());
      co_return false;
    }
    timer_.expires_after(pause);
    boost::system::error_code ignored;
    co_await timer_.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
    pause = std::min(pause * 2, kLookSeldom);
  }
  co_return false;
}

/// False at the end.
asio::awaitable<bool> ExecInput::read_some() {
  if (in_.is_open()) {
    boost::system::error_code failed;
    co_await in_.async_wait(asio::posix::stream_descriptor::wait_read,
                            asio::redirect_error(asio::use_awaitable, failed));
  }
  held_.resize(kReadAtOnce);
  const int fd = in_.is_open() ? in_.native_handle() : STDIN_FILENO;
  const ssize_t got = over_ ? 0 : ::read(fd, held_.data(), held_.size());
  const int why = errno;
  held_.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  if (got < 0 && why != EINTR && why != EAGAIN) {
    complain(io_error("standard input ends early: cannot read it", why).what());
  }
  co_return got > 0 || (got < 0 && (why == EINTR || why == EAGAIN));
}

/// False where nobody reads it any more.
asio::awaitable<bool> ExecInput::write_all() {
  boost::system::error_code failed;
  co_await asio::async_write(out_, asio::buffer(held_), asio::redirect_error(asio::use_awaitable, failed));
  co_return !failed;
}

}  // namespace terminally
