#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "files/file_requests.hpp"
#include "files/file_scan.hpp"
#include "files/kept_access.hpp"
#include "files/open_file.hpp"

namespace terminally {

/// The file of the parts as a writer left it. Another that has its name by now is another writer's.
struct PartFile {
  dev_t device = 0;
  ino_t inode = 0;
  std::int64_t born_ns = 0;  ///< as a number of a file is given again; 0 where its file system does not know
  std::uint64_t bytes = 0;
  bool operator==(const PartFile&) const = default;
};

/// A file that is to replace another one: written beside it in the same directory, under a temporary name.
///
/// What the shell's `>` would be refused is refused: a file that is there is opened for writing first. Where
/// it may be written and its name cannot be given to another file (a mount point, a sticky directory, a
/// directory that we may not write), the file is written in place, which is not atomic; a note says so.
///
/// Of all writers that expect the same content exactly one wins, because each holds a lock (flock) on the
/// file that it replaces, from before the compare until after the rename, however long that takes. The lock
/// is on the file itself: every path that leads to it takes the same lock. Its holder marks the file by a
/// lock of another kind (OFD), so that others know a writer of ours, for whom they wait, from another
/// program. A new file is put in place only if the name is still free. A process that dies releases its lock,
/// before or after its rename. Programs that take no lock (editors, git) may write between the compare and
/// the rename.
///
/// All calls but the constructor block. For one thread at a time, but for those that say otherwise.
class FreshFile {
 public:
  /// `known`: the parts that may be gone on with.
  FreshFile(FilePlaceInRoot place, WriteFile request, std::optional<PartFile> known = std::nullopt)
      : place_(std::move(place)), request_(std::move(request)), part_(known) {}
  FreshFile(const FreshFile&) = delete;
  FreshFile& operator=(const FreshFile&) = delete;
  /// Unless the file was put in place: removes it, or cuts its parts back to what they were.
  ~FreshFile();

  /// Writes the content into a file under a temporary name, or after the parts that are there.
  void write();
  /// Its caller waits no longer: a part that is not kept yet is cut off again. True: so it is, or nothing has
  /// its place yet. False: it is kept, or in place, and the caller may take it for done. From any thread.
  [[nodiscard]] bool abandon();
  /// False where there is no part before this one, or none that may be gone on with. From any thread.
  [[nodiscard]] bool has_parts() const { return has_parts_; }
  /// The parts as they are now; none: there are none.
  [[nodiscard]] const std::optional<PartFile>& part() const { return part_; }
  [[nodiscard]] std::string part_path() const;

  /// Reads the whole new file: a file that came in parts is not in memory.
  [[nodiscard]] FileScan scan() const;

  enum class Lock {
    held,       ///< or there is no file to be replaced
    of_ours,    ///< a writer of this program has it
    of_others,  ///< another program has locked the file
    none,       ///< its file system has no locks
  };
  /// Tries to lock the file to be replaced, which is opened anew.
  [[nodiscard]] Lock try_lock();
  /// The file to be replaced, if its content is to be compared.
  [[nodiscard]] std::optional<FileScan> replaced() const;
  /// Throws Error(invalid_argument) that tells what is there, if the content is not the expected one.
  void compare(const std::string& there) const;
  /// Gives the file its final name, and releases the lock. False: the name was free, and now has a file,
  /// which has to be locked and compared first.
  [[nodiscard]] bool put_in_place();
  /// What of the replaced file could not be kept, and whether it was written in place.
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }

 private:
  void write_whole();
  void write_part();
  void open_part();
  void begin_anew();
  [[nodiscard]] Error cannot_make_part(int error_number) const;
  void refuse_parts_of_others();
  [[nodiscard]] UniqueFd make_file();
  [[nodiscard]] mode_t mode_of_new() const;
  [[nodiscard]] AskedMode asked_mode() const;
  void make_durable() const;
  void write_in_place(int why);
  void cut_back() noexcept;

  /// A part is kept only while its caller waits for it, who else would send it once more.
  enum class Fate { waiting, kept, abandoned };

  FilePlaceInRoot place_;
  WriteFile request_;
  NameInDirectory where_;
  OpenFile old_;                         ///< the file to be replaced, if there is one; has the lock
  std::string name_;                     ///< the temporary name; empty: the content has none
  UniqueFd fd_;                          ///< the new content
  std::optional<std::uint64_t> before_;  ///< the size of the parts before this one
  std::atomic<bool> has_parts_ = true;
  std::optional<PartFile> part_;
  int why_in_place_ = 0;                    ///< errno, where the content has no name
  std::atomic<Fate> fate_ = Fate::waiting;  ///< kept: the destructor leaves all as it is
  std::vector<std::string> notes_;
};

}  // namespace terminally
