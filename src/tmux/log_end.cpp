#include "tmux/log_end.hpp"

#include "base/files.hpp"
#include "base/log_record.hpp"

namespace terminally {

boost::asio::awaitable<void> wait_for_log_end(const PaneLog& log, Clock::time_point deadline) {
  std::filesystem::path sidecar = log.path();
  sidecar += kLogSidecarSuffix;
  std::error_code error;
  while (Clock::now() < deadline && std::filesystem::exists(sidecar, error) && !FileLock::try_lock(sidecar)) {
    co_await sleep_for(Milliseconds(5));
  }
}

}  // namespace terminally
