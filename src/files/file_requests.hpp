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
  std::string after;  ///< the last entry of the call before: its name, its file URI, or its cursor
};

struct FileEntry {
  std::string name;
  std::string_view type = "file";  ///< one of kFileTypes; kUnknownType: the rest is not known either
  std::uint64_t size = 0;
  unsigned mode = 0;
  std::int64_t mtime_ms = 0;
};
inline constexpr std::string_view kUnknownType = "unknown";
inline const std::vector<std::string_view> kFileTypes = {"file",   "directory", "symlink",   "fifo",
                                                         "socket", "device",    kUnknownType};

struct FileList {
  std::string directory;           ///< absolute
  std::vector<FileEntry> entries;  ///< in the order of the names' bytes
  bool truncated = false;          ///< there are more entries after the last one
  std::string last;                ///< the last name that was read, be there an entry of it or not
  int not_seen = 0;                ///< errno, where an entry could not be looked at
};

/// Lines of a file. The first line is 1; the last line may have no end.
struct LineRange {
  std::uint64_t first = 1;
  std::uint64_t count = UINT64_MAX;
  bool from_end = false;  ///< the last `count` lines; `first` is not used
};

struct ReadFile {
  std::string path;
  std::uint64_t offset = 0;
  std::uint64_t max_bytes = 65'536;  ///< 0: no content, but the facts and the sha256 of a file of any size
  bool text = false;  ///< UTF-8, cut between characters; NUL and other bytes are refused, not replaced
  std::optional<LineRange> lines = std::nullopt;  ///< in place of `offset`; `max_bytes` bounds them
};

struct FilePart {
  std::string path;  ///< absolute, as the root was spelled
  std::string content;
  std::uint64_t size = 0;
  unsigned mode = 0;
  std::int64_t mtime_ms = 0;
  std::optional<std::string> sha256;  ///< of the whole file, as it was when `content` was read
  std::uint64_t offset = 0;           ///< where `content` begins
  std::uint64_t next_offset = 0;
  bool eof = false;
  std::uint64_t lines_end = 0;  ///< of the asked lines, or a place in them behind what was asked for
};

/// Files up to this size are hashed by each read, and after their last part was written.
inline constexpr std::uint64_t kHashedAtEachRead = std::uint64_t{4} << 20U;

/// A part of a file that is written in parts: these are kept beside the file until the last one is there.
/// Mode and hashes may come with any part, and hold for the whole.
enum class FilePiece {
  first,  ///< drops the parts of an earlier try
  next,   ///< refused without parts, unless it is empty: an empty one only asks for their size
  last,   ///< refused without parts
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
  std::string path;  ///< absolute, as the root was spelled
  std::uint64_t bytes_written = 0;
  std::optional<std::string> sha256;  ///< of the whole file, once it has its name; not of large parts
  std::string part_path;              ///< where the parts are until then, as a file URI
  std::uint64_t part_bytes = 0;       ///< the size of all parts so far
  std::vector<std::string> notes;     ///< what of the replaced file could not be kept, and how it was written
};

[[nodiscard]] std::string_view file_type(const struct stat& info);
[[nodiscard]] std::int64_t mtime_ms_of(const struct stat& info);
/// A file's mode as ls and chmod write it: "0644".
[[nodiscard]] std::string octal_mode(unsigned mode);

}  // namespace terminally
