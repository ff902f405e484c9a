#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace terminally {

// Requests for files and their answers, as the tools, FileAccess and copies between places use them. Paths
// and names are bytes. Times are milliseconds since the epoch.

struct ListFiles {
  std::string path = ".";
  std::uint64_t max_entries = 1'000;
  std::string after;  ///< the last entry of the call before
};

struct FileEntry {
  std::string name;
  std::string_view type = "file";  ///< one of kFileTypes
  std::uint64_t size = 0;
  unsigned mode = 0;
  std::int64_t mtime_ms = 0;
};
inline const std::vector<std::string_view> kFileTypes = {"file", "directory", "symlink",
                                                         "fifo", "socket",    "device"};

struct FileList {
  std::string directory;           ///< absolute
  std::vector<FileEntry> entries;  ///< in the order of the names' bytes
  bool truncated = false;          ///< there are more entries after the last one
};

struct ReadFile {
  std::string path;
  std::uint64_t offset = 0;
  std::uint64_t max_bytes = 65'536;  ///< 0: no content, but the facts and the sha256 of a file of any size
  bool text = false;                 ///< UTF-8, cut between characters; other bytes are refused, not replaced
};

struct FilePart {
  std::string content;
  std::uint64_t size = 0;
  unsigned mode = 0;
  std::int64_t mtime_ms = 0;
  std::optional<std::string> sha256;  ///< of the whole file, as it was when `content` was read
  std::uint64_t next_offset = 0;
  bool eof = false;
};

/// Files up to this size are hashed by each read, and after their last part was written.
inline constexpr std::uint64_t kHashedAtEachRead = std::uint64_t{4} << 20U;

/// A part of a file that is written in parts: these are kept beside the file until the last one is there.
enum class FilePiece {
  first,  ///< drops the parts of an earlier try
  next,
  last,
};

struct WriteFile {
  std::string path;
  std::string content;
  std::optional<unsigned> mode;  ///< none: the mode of the replaced file; of a new file by the umask
  std::string expected_sha256;   ///< of the file to be replaced, or kAbsent; empty: replaces any
  std::string sha256;            ///< of the whole new content; empty: not checked
  bool create_parents = false;
  std::optional<FilePiece> piece;  ///< none: `content` is the whole
};
inline constexpr std::string_view kAbsent = "absent";

struct WrittenFile {
  std::uint64_t bytes_written = 0;
  std::optional<std::string> sha256;  ///< of the whole file, once it has its name; not of large parts
  std::string part_path;              ///< where the parts are until then, as a file URI
  std::uint64_t part_bytes = 0;       ///< the size of all parts so far
};

[[nodiscard]] std::string_view file_type(const struct stat& info);
[[nodiscard]] std::int64_t mtime_ms_of(const struct stat& info);

}  // namespace terminally
