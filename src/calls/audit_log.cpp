// Appends lines to the audit log, and begins it anew when it is full.
#include "calls/audit_log.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iostream>

#include "base/descriptors.hpp"

namespace terminally {
namespace {

std::string words_of(int error) {
  return std::strerror(error);  // NOLINT(concurrency-mt-unsafe): one thread calls it
}

UniqueFd open_to_append(const std::filesystem::path& path) {
  constexpr int kFlags = O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  return UniqueFd(::open(path.c_str(), kFlags, 0600));
}

bool ends_within_line(int file, std::int64_t size) {
  char last = '\n';
  return size > 0 && ::pread(file, &last, 1, size - 1) == 1 && last != '\n';
}

}  // namespace

void AuditLog::append(std::string_view line) {
  const std::string why = why_not_written(line);
  if (!why.empty()) {
    ++lost_;
    if (!fails_) {
      std::cerr << "terminally-mcp: " << path_.string() << " cannot be written: " << why
                << "; calls go on without it\n";
    }
  }
  fails_ = !why.empty();
}

/// Empty: it was.
std::string AuditLog::why_not_written(std::string_view line) const {
  UniqueFd file = open_to_append(path_);
  struct stat info{};
  if (!file || ::fstat(file.get(), &info) != 0) {
    return words_of(errno);
  }
  if (!S_ISREG(info.st_mode)) {
    return "it is no regular file";
  }
  if (info.st_size > 0 && static_cast<std::uint64_t>(info.st_size) + line.size() > most_bytes_) {
    if (::rename(path_.c_str(), (path_.string() + ".1").c_str()) != 0) {
      return "it is full, and cannot be renamed: " + words_of(errno);
    }
    file = open_to_append(path_);
    info.st_size = 0;
    if (!file) {
      return words_of(errno);
    }
  }
  const bool is_torn = ends_within_line(file.get(), info.st_size);  // there was no room for all of it
  const std::string text = (is_torn ? "\n" : "") + std::string(line);
  const ssize_t written = ::write(file.get(), text.data(), text.size());
  if (written == static_cast<ssize_t>(text.size())) {
    return "";
  }
  return written < 0 ? words_of(errno) : "there is no room for a whole line";
}

}  // namespace terminally
