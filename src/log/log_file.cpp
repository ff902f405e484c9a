// Opens the log and its sidecar, and tells whether the sidecar is still what was read of it.
#include "log/log_file.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/error.hpp"
#include "base/files.hpp"
#include "log/log_record.hpp"

namespace terminally {
namespace {

struct stat status_of(const UniqueFd& file, const std::filesystem::path& path) {
  struct stat status{};
  if (file && ::fstat(file.get(), &status) != 0) {
    throw io_error("cannot look at " + path.string(), errno);
  }
  return status;
}

}  // namespace

UniqueFd open_log_file(const std::filesystem::path& path, std::uint64_t* size_bytes) {
  UniqueFd file = open_to_read(path);
  if (!file && errno != ENOENT) {
    throw io_error("cannot open " + path.string(), errno);
  }
  const struct stat status = status_of(file, path);
  if (file && !S_ISREG(status.st_mode)) {
    throw Error(ErrorCode::io, "cannot read " + path.string() + ": it is no regular file; remove it");
  }
  if (size_bytes != nullptr) {
    *size_bytes = static_cast<std::uint64_t>(status.st_size);
  }
  return file;
}

std::size_t read_at(const UniqueFd& file, const std::filesystem::path& path, std::uint64_t position, char* to,
                    std::size_t count) {
  std::size_t done = 0;
  while (file && done < count) {
    const ssize_t got = ::pread(file.get(), to + done, count - done, static_cast<off_t>(position + done));
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got < 0) {
      throw io_error("cannot read " + path.string() + " at position " + std::to_string(position), errno);
    }
    if (got == 0) {
      break;
    }
    done += static_cast<std::size_t>(got);
  }
  return done;
}

SidecarFile::SidecarFile(const std::filesystem::path& log_path)
    : path_(log_path.native() + std::string(kLogSidecarSuffix)) {
  std::uint64_t size = 0;
  file_ = open_log_file(path_, &size);
  records_.resize(size);
  records_.resize(read_at(file_, path_, 0, records_.data(), records_.size()));
}

bool SidecarFile::unchanged() const {
  if (!file_) {
    return ::access(path_.c_str(), F_OK) != 0;
  }
  const struct stat now = status_of(file_, path_);
  if (now.st_nlink == 0 || static_cast<std::uint64_t>(now.st_size) != records_.size()) {
    return false;
  }
  // The last record may have been overwritten in place.
  std::string last(std::min<std::size_t>(records_.size(), kLogRecordBytes), '\0');
  last.resize(read_at(file_, path_, records_.size() - last.size(), last.data(), last.size()));
  return records_.ends_with(last);
}

}  // namespace terminally
