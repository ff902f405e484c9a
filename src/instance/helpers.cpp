// Unpacks the helpers that the program has inside, and checks that they can be run.
#include "instance/helpers.hpp"

#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/process.hpp"

namespace terminally {
namespace {

namespace fs = std::filesystem;

bool has_content(int fd, std::string_view content) {
  char block[std::size_t{16} * 1024];
  for (;;) {
    const ssize_t got = ::read(fd, block, sizeof block);
    if (got <= 0) {
      return got == 0 && content.empty();
    }
    const auto bytes = static_cast<std::size_t>(got);
    if (bytes > content.size() || std::memcmp(block, content.data(), bytes) != 0) {
      return false;
    }
    content.remove_prefix(bytes);
  }
}

/// Whether a file is the helper as it was unpacked: ours, not writable by others, and equal to the last byte.
bool is_intact(const fs::path& path, std::string_view content) {
  const UniqueFd fd = open_to_read(path);
  struct stat info{};
  return fd && ::fstat(fd.get(), &info) == 0 && S_ISREG(info.st_mode) && info.st_uid == ::geteuid() &&
         (info.st_mode & 0777U) == 0700U && static_cast<std::uint64_t>(info.st_size) == content.size() &&
         has_content(fd.get(), content);
}

void unpack(const PackedHelper& helper, const fs::path& directory) {
  const fs::path path = directory / helper.name;
  const fs::path fresh = path.string() + "." + random_hex(8) + ".new";  // other servers may unpack it, too
  try {
    write_file(fresh, helper.bytes);
    if (::chmod(fresh.c_str(), 0700) != 0 || ::rename(fresh.c_str(), path.c_str()) != 0) {
      throw io_error("cannot put " + path.string() + " in its place", errno);
    }
  } catch (const Error&) {
    remove_file(fresh);
    throw;
  }
}

void unpack_what_is_not_intact(const Config& config) {
  for (const fs::path& directory : {config.state_root, config.helper_dir.parent_path(), config.helper_dir}) {
    make_private_directory(directory);
  }
  for (const PackedHelper& helper : config.packed_helpers.programs) {
    if (!is_intact(config.helper_dir / helper.name, helper.bytes)) {
      unpack(helper, config.helper_dir);
    }
  }
}

std::string why_no_program(const Config& config, const fs::path& helper) {
  struct statvfs system{};
  if (config.packed_helpers.programs.empty()) {
    return helper.string() +
           " is missing or no program; install terminally-mcp again, and start the server anew if it is "
           "somewhere else now";
  }
  if (::statvfs(config.helper_dir.c_str(), &system) == 0 && (system.f_flag & ST_NOEXEC) != 0) {
    return helper.string() +
           " cannot be run: its file system is mounted noexec. Give --state-dir (or TERMINALLY_STATE_DIR) a "
           "directory on another, or copy terminally-log and terminally-shell from there to where "
           "terminally-mcp is";
  }
  return helper.string() +
         " cannot be run here, though it is one of our programs and ours: the system forbids it";
}

}  // namespace

fs::path unpacked_helpers(const fs::path& state_root, const PackedHelpers& packed) {
  return state_root / ".helpers" / packed.hash;
}

std::string trouble_with_helpers(const Config& config) {
  if (!config.packed_helpers.programs.empty()) {
    try {
      unpack_what_is_not_intact(config);
    } catch (const Error& error) {
      return std::string("the helpers that terminally-mcp has inside cannot be unpacked: ") + error.what();
    }
  }
  for (const char* name : kHelpers) {
    if (!is_program(config.helper_dir / name)) {
      return why_no_program(config, config.helper_dir / name);
    }
  }
  return "";
}

}  // namespace terminally
