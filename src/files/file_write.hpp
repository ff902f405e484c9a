#pragma once

#include <memory>
#include <optional>
#include <string>

#include "files/file_requests.hpp"
#include "files/file_scan.hpp"
#include "files/open_file.hpp"

namespace terminally {

/// A file that is to replace another one: written beside it in the same directory, under a temporary name.
///
/// Of all writers that expect the same content exactly one wins, because each compares and replaces under the
/// lock (flock) of the directory that has the name. The lock is on the opened directory itself: every path
/// that leads there, and every process of the machine, takes the same lock, and `rename` acts in that very
/// directory. While the lock is held no process of ours gives the name to another file, so the file that was
/// compared is the one that is replaced; the next writer compares with the new file. A process that dies
/// releases its lock, before or after its rename. Programs that take no lock (editors, git) may write between
/// the compare and the rename.
///
/// All calls but the constructor block. For one thread at a time.
class FreshFile {
 public:
  FreshFile(FilePlaceInRoot place, WriteFile request)
      : place_(std::move(place)), request_(std::move(request)) {}
  FreshFile(const FreshFile&) = delete;
  FreshFile& operator=(const FreshFile&) = delete;
  ~FreshFile();

  /// Writes the content into a file under a temporary name, or after the parts that are there.
  void write();
  [[nodiscard]] std::uint64_t part_bytes() const { return part_bytes_; }
  [[nodiscard]] std::string part_path() const;

  /// Reads the whole new file: a file that came in parts is not in memory.
  [[nodiscard]] FileScan scan() const;

  /// Whether the directory could be locked. Throws Error(io) where its file system has no locks.
  [[nodiscard]] bool try_lock();
  /// The file to be replaced, if its content is to be compared. Throws where it cannot be replaced.
  [[nodiscard]] std::optional<FileScan> replaced();
  /// Throws Error(invalid_argument) that tells what is there, if the content is not the expected one.
  void compare(const std::string& there) const;
  /// Renames the file to its final name, and releases the lock.
  void put_in_place();

 private:
  void write_whole();
  void write_part();
  [[nodiscard]] UniqueFd open_part();
  [[nodiscard]] UniqueFd make_file();
  [[nodiscard]] mode_t mode_of_new() const;
  void make_durable() const;

  FilePlaceInRoot place_;
  WriteFile request_;
  NameInDirectory where_;
  std::string name_;  ///< the temporary name
  UniqueFd fd_;
  UniqueFd lock_;
  std::optional<struct stat> old_;  ///< the file to be replaced
  std::uint64_t part_bytes_ = 0;
  bool keep_ = false;  ///< the destructor does not remove the file
};

}  // namespace terminally
