#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace terminally {

// What is asked of files, and what is answered: by the tools, by FileAccess, between the places of a copy.
// Paths and names are bytes. Times are milliseconds since the epoch.

struct ListFiles {
  std::string path = ".";
  std::uint64_t max_entries = 1'000;
  std::string after;  ///< the entry that the last call ended with
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
  bool truncated = false;          ///< there are more behind the last one
};

struct ReadFile {
  std::string path;
  std::uint64_t offset = 0;
  std::uint64_t max_bytes = 65'536;  ///< 0: only what is known of the file, with its sha256 whatever its size
  bool text = false;  ///< UTF-8, cut between characters; what is none is refused, since nothing is replaced
};

struct FilePart {
  std::string content;
  std::uint64_t size = 0;
  unsigned mode = 0;
  std::int64_t mtime_ms = 0;
  std::optional<std::string> sha256;  ///< of the whole file, in the state in which `content` was read
  std::uint64_t next_offset = 0;
  bool eof = false;
};

/// Files up to this size are hashed by each read, and when their last part takes its place.
inline constexpr std::uint64_t kHashedAtEachRead = std::uint64_t{4} << 20U;

/// A file that comes in parts: they are kept beside it, and take its place with the last one.
enum class FilePiece {
  first,  ///< what there is of an earlier try is dropped
  next,
  last,
};

struct WriteFile {
  std::string path;
  std::string content;
  std::optional<unsigned> mode;  ///< else that of the file that is replaced; of a new one by the umask
  std::string expected_sha256;   ///< of the file that is replaced, or kAbsent; empty: whatever is there
  std::string sha256;            ///< of the whole that takes its place; empty: whatever it is
  bool create_parents = false;
  std::optional<FilePiece> piece;  ///< none: `content` is the whole
};
inline constexpr std::string_view kAbsent = "absent";

struct WrittenFile {
  std::uint64_t bytes_written = 0;
  std::optional<std::string> sha256;  ///< of the whole file, once it is in its place; not of large parts
  std::string part_path;              ///< where the parts are until then; a path as it is taken
  std::uint64_t part_bytes = 0;       ///< and how much; of the last one: of all
};

[[nodiscard]] std::string_view file_type(const struct stat& info);
[[nodiscard]] std::int64_t mtime_ms_of(const struct stat& info);

}  // namespace terminally
