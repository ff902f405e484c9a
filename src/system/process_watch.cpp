// Watches a process by its pidfd, and tells when the process has ended.
#include "system/process_watch.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <boost/asio.hpp>
#include <cerrno>

namespace terminally {

namespace asio = boost::asio;

struct ProcessWatch::State {
  State(const asio::any_io_executor& executor, std::function<void()> callback)
      : pidfd(executor), ended(std::move(callback)) {}
  asio::posix::stream_descriptor pidfd;
  std::function<void()> ended;
};

ProcessWatch::ProcessWatch(asio::any_io_executor executor) : executor_(std::move(executor)) {}

ProcessWatch::~ProcessWatch() {
  stop();
}

bool ProcessWatch::start(pid_t pid, std::function<void()> ended) {
  stop();
  state_ = std::make_shared<State>(executor_, std::move(ended));
  const auto tell = [weak = std::weak_ptr(state_)] {
    if (const auto state = weak.lock(); state && state->ended) {
      std::exchange(state->ended, nullptr)();
    }
  };
  const auto fd = static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
  if (fd >= 0) {
    state_->pidfd.assign(fd);
    state_->pidfd.async_wait(asio::posix::stream_descriptor::wait_read,
                             [tell](const boost::system::error_code& error) {
                               if (!error) {
                                 tell();
                               }
                             });
    return true;
  }
  if (errno != ESRCH) {
    return false;
  }
  asio::post(executor_, tell);
  return true;
}

void ProcessWatch::stop() {
  if (state_) {
    state_->ended = nullptr;
    boost::system::error_code ignored;
    state_->pidfd.close(ignored);
    state_.reset();
  }
}

}  // namespace terminally
