#pragma once

#include <memory>
#include <optional>
#include <string>

#include "files/file_requests.hpp"
#include "files/file_scan.hpp"
#include "files/open_file.hpp"

namespace terminally {

/// A file that is to take another's place, beside it in the same directory, with a name of its own until
/// then.
///
/// Why of all who expect the same content exactly one wins: who compares and replaces does both under the
/// lock (flock) of the directory that the name is in. The directory is the one that was opened: a lock is on
/// the directory itself, so it is the same lock for every path that leads there, and for every process of the
/// machine; `rename` puts the file under that name in that very directory. As long as the lock is held none
/// of ours gives the name to another file, so what was compared is what is replaced; whoever comes next
/// compares with what is there then. A process that dies lets go of its lock, before or after its rename.
/// Programs that take no lock (editors, git) may write between the compare and the rename.
///
/// All of it blocks but the constructor; used on one thread at a time.
class FreshFile {
 public:
  FreshFile(FilePlaceInRoot place, WriteFile request)
      : place_(std::move(place)), request_(std::move(request)) {}
  FreshFile(const FreshFile&) = delete;
  FreshFile& operator=(const FreshFile&) = delete;
  ~FreshFile();

  /// Writes the content into a file that does not have its name yet, or behind the parts that there are.
  void write();
  [[nodiscard]] std::uint64_t part_bytes() const { return part_bytes_; }
  [[nodiscard]] std::string part_path() const;

  /// To read all of it: of one that came in parts the whole is not in memory.
  [[nodiscard]] FileScan scan() const;

  /// Whether the directory could be locked. Throws Error(io) where its file system has no locks.
  [[nodiscard]] bool try_lock();
  /// What is replaced, if it is to be compared. Throws where it cannot be replaced.
  [[nodiscard]] std::optional<FileScan> replaced();
  /// Throws Error(invalid_argument) that tells what is there, if that is not what is expected.
  void compare(const std::string& there) const;
  /// Gives it its name, and lets go of the lock.
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
  std::string name_;  ///< until it has its own
  UniqueFd fd_;
  UniqueFd lock_;
  std::optional<struct stat> old_;  ///< what has its name
  std::uint64_t part_bytes_ = 0;
  bool keep_ = false;  ///< it is not removed with this object
};

}  // namespace terminally
