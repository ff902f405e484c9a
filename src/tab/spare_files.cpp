#include "tab/spare_files.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <exception>

#include "base/error.hpp"
#include "base/files.hpp"
#include "system/open_elsewhere.hpp"

namespace terminally {
namespace {

bool is_ours_alone(int fd) {
  struct stat info{};
  return ::fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_uid == ::geteuid() &&
         info.st_nlink == 1 && (info.st_mode & 07777U) == 0600U && !is_open_elsewhere(fd);
}

/// False: it is not there, or not ours alone. Nothing was written then.
bool write_over(const std::filesystem::path& path, std::string_view content) {
  const UniqueFd fd = open_to_overwrite(path);
  if (!fd || !is_ours_alone(fd.get())) {
    return false;
  }
  overwrite(fd.get(), content, path);
  return true;
}

void write_over_or_anew(const std::filesystem::path& path, std::string_view content) {
  if (!write_over(path, content)) {
    remove_file(path);
    write_file(path, content);
  }
}

}  // namespace

void SpareFiles::write(char kind, const std::filesystem::path& path, std::string_view content) const {
  if (::rename(spare(kind).c_str(), path.c_str()) == 0) {
    write_over_or_anew(path, content);
  } else {
    write_file(path, content);
  }
}

void SpareFiles::write_whole(char kind, const std::filesystem::path& path, std::string_view content) const {
  const std::string fresh = spare(kind);
  write_over_or_anew(fresh, content);
  if (::rename(fresh.c_str(), path.c_str()) != 0) {
    throw io_error("cannot rename " + fresh, errno);
  }
}

void SpareFiles::keep(char kind, const std::filesystem::path& path, bool emptied) const noexcept {
  try {
    // Not to nothing: see `overwrite`.
    if (emptied && !write_over(path, "\n")) {
      remove_file(path);
      return;
    }
    (void)!::rename(path.c_str(), spare(kind).c_str());
  } catch (const std::exception&) {
    remove_file(path);
  }
}

void SpareFiles::remove(char kind) const noexcept {
  remove_file(spare(kind));
}

}  // namespace terminally
