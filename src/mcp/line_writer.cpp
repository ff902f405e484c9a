#include "mcp/line_writer.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <utility>

namespace terminally {

namespace asio = boost::asio;

namespace {
constexpr auto kQuietly = asio::as_tuple(asio::use_awaitable);
}

/// The timers never expire: they are what a coroutine waits on, and `cancel` wakes it.
struct LineWriter::Io {
  Io(const asio::any_io_executor& executor, int fd)
      : out(executor, fd),
        filled(executor, asio::steady_timer::time_point::max()),
        drained(executor, asio::steady_timer::time_point::max()) {}

  asio::posix::stream_descriptor out;
  asio::steady_timer filled;
  asio::steady_timer drained;
};

LineWriter::LineWriter(const asio::any_io_executor& executor, UniqueFd out)
    : io_(std::make_unique<Io>(executor, out.release())) {}

LineWriter::~LineWriter() = default;

bool LineWriter::send(const std::string& message, Delivery delivery) {
  if (broken() || (delivery == Delivery::may_drop && queued() > kBusyBytes)) {
    return false;
  }
  waiting_.append(message).push_back('\n');
  io_->filled.cancel();
  return true;
}

asio::awaitable<void> LineWriter::run() {
  while (!broken()) {
    while (waiting_.empty() && written_ == writing_.size()) {
      co_await io_->filled.async_wait(kQuietly);
    }
    if (written_ == writing_.size()) {
      writing_ = std::exchange(waiting_, {});
      written_ = 0;
    }
    const auto rest = asio::buffer(writing_) + written_;
    const auto [error, size] = co_await io_->out.async_write_some(rest, kQuietly);
    written_ += size;
    if (error && error != asio::error::operation_aborted) {
      error_ = error.value();
      waiting_ = {};
    }
    if (broken() || written_ == writing_.size()) {
      writing_ = {};
      written_ = 0;
    }
    io_->drained.cancel();
  }
}

asio::awaitable<void> LineWriter::drained(std::size_t bytes) {
  while (!broken() && queued() > bytes) {
    co_await io_->drained.async_wait(kQuietly);
  }
}

}  // namespace terminally
