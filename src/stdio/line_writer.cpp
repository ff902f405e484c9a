// Queues outgoing lines and writes them in order as the reader takes them.
#include "stdio/line_writer.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <utility>

#include "base/event.hpp"

namespace terminally {

namespace asio = boost::asio;

namespace {
constexpr auto kQuietly = asio::as_tuple(asio::use_awaitable);
}

struct LineWriter::Io {
  asio::posix::stream_descriptor out;
  Event filled;
  Event drained;
};

LineWriter::LineWriter(const asio::any_io_executor& executor, UniqueFd out)
    : io_(new Io{asio::posix::stream_descriptor(executor, out.release()), {}, {}}) {}

LineWriter::~LineWriter() = default;

bool LineWriter::send(const std::string& message, Delivery delivery) {
  if (broken() || (delivery == Delivery::may_drop && queued() > kBusyBytes)) {
    return false;
  }
  waiting_.append(message).push_back('\n');
  io_->filled.notify();
  return true;
}

asio::awaitable<void> LineWriter::run() {
  while (!broken()) {
    while (waiting_.empty() && written_ == writing_.size()) {
      co_await io_->filled.wait();
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
    io_->drained.notify();
  }
}

asio::awaitable<void> LineWriter::drained(std::size_t bytes) {
  while (!broken() && queued() > bytes) {
    co_await io_->drained.wait();
  }
}

}  // namespace terminally
