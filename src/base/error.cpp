// Words the system's errors, and names the limit of the process that an error has hit.
#include "base/error.hpp"

#include <sys/resource.h>

#include <cerrno>
#include <cstring>

namespace terminally {
namespace {

std::string limit_named(__rlimit_resource resource, const char* name, const char* option) {
  rlimit limit{};
  if (::getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
    return "";
  }
  return std::string(" (") + name + ": " + std::to_string(limit.rlim_cur) +
         "; start terminally-mcp with more, see " + option + ")";
}

}  // namespace

Error io_error(const std::string& what, int error_number) {
  return Error(ErrorCode::io, what + ": " + system_reason(error_number));
}

std::string system_reason(int error_number) {
  std::string reason = std::strerror(error_number);
  switch (error_number) {
    case EMFILE:
      return reason + limit_named(RLIMIT_NOFILE, "RLIMIT_NOFILE, open files of a process", "ulimit -n");
    case ENFILE:
      return reason + " (fs.file-max, open files of the whole machine; see sysctl fs.file-max)";
    case EFBIG:
      return reason + limit_named(RLIMIT_FSIZE, "RLIMIT_FSIZE, bytes of a file", "ulimit -f");
    default:
      return reason;
  }
}

}  // namespace terminally
