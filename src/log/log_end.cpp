// Finds the writer of a log by the locks on the sidecar, and waits until the writer has gone.
#include "log/log_end.hpp"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>
#include <string>
#include <string_view>

#include "base/descriptors.hpp"
#include "base/files.hpp"
#include "log/log_record.hpp"
#include "system/proc.hpp"

namespace terminally {
namespace {

std::filesystem::path sidecar_of(const std::filesystem::path& log) {
  return log.native() + std::string(kLogSidecarSuffix);
}

}  // namespace

int log_writer(const std::filesystem::path& log) {
  const UniqueFd sidecar = open_to_read(sidecar_of(log));
  if (!sidecar) {
    return errno == ENOENT || errno == ENOTDIR ? 0 : -1;
  }
  struct flock lock{};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  if (::fcntl(sidecar.get(), F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK) {
    return lock.l_pid > 0 ? lock.l_pid : -1;
  }
  // Where fcntl locks do not work, flock may.
  if (::flock(sidecar.get(), LOCK_SH | LOCK_NB) != 0) {
    return errno == EWOULDBLOCK ? -1 : 0;
  }
  ::flock(sidecar.get(), LOCK_UN);  // not by closing alone: a child that is being spawned has a copy
  return 0;
}

bool log_writer_is_stopped(const std::filesystem::path& log) {
  const int writer = log_writer(log);
  return writer > 0 && is_stopped(writer);
}

bool log_has_gap_behind(const std::filesystem::path& log, std::uint64_t from) {
  const std::string records = read_file(sidecar_of(log)).value_or("");
  bool first = true;
  for (std::string_view rest = records; rest.size() >= kLogRecordBytes; rest.remove_prefix(kLogRecordBytes)) {
    const auto record = decode_log_record(rest.substr(0, kLogRecordBytes));
    const bool lost =
        record && (record->kind == LogRecord::Kind::gap || record->kind == LogRecord::Kind::waiting ||
                   (record->kind == LogRecord::Kind::start && !first));
    if (lost && record->offset >= from) {
      return true;
    }
    first = first && !record;
  }
  return false;
}

boost::asio::awaitable<void> wait_for_log_end(const PaneLog& log, Clock::time_point deadline) {
  while (Clock::now() < deadline && log_writer(log.path()) != 0) {
    co_await sleep_for(Milliseconds(5));
  }
}

}  // namespace terminally
