// Writes a file under a temporary name, and renames it into place under the directory's lock.
#include "files/file_write.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <iterator>
#include <string_view>

#include "base/digests.hpp"
#include "base/files.hpp"
#include "files/file_uri.hpp"
#include "system/file_root.hpp"

namespace terminally {
namespace {

constexpr std::uint64_t kCopiedAtOnce = std::uint64_t{1} << 20U;

/// The name of a file's parts: short, however long the file's name is, and always the same for one name.
std::string part_name_of(const std::string& name) {
  return ".terminally-" + sha256_hex(name).substr(0, 16) + ".part";
}

Error wrong_write(const std::string& text) {
  return Error(ErrorCode::invalid_argument, text);
}

/// Returns errno, or 0 where all is written; `offset` ends behind what is.
int try_write_at(const UniqueFd& fd, std::string_view content, std::uint64_t& offset) {
  while (!content.empty()) {
    const ssize_t written = ::pwrite(fd.get(), content.data(), content.size(), static_cast<off_t>(offset));
    if (written < 0 && errno != EINTR) {
      return errno;
    }
    const std::size_t done = written < 0 ? 0 : static_cast<std::size_t>(written);
    content.remove_prefix(done);
    offset += done;
  }
  return 0;
}

void write_at(const UniqueFd& fd, std::string_view content, std::uint64_t offset, const std::string& said) {
  if (const int failed = try_write_at(fd, content, offset); failed != 0) {
    throw file_error(said, failed);
  }
}

/// Writes all of `from` over the beginning of `to`. Returns errno, or 0; `at` ends behind what is written.
int copy_over(const UniqueFd& from, const UniqueFd& to, std::uint64_t& at) {
  std::string slice(kCopiedAtOnce, '\0');
  for (;;) {
    const ssize_t got = ::pread(from.get(), slice.data(), slice.size(), static_cast<off_t>(at));
    if (got == 0) {
      return 0;
    }
    if (got < 0 && errno != EINTR) {
      return errno;
    }
    const std::string_view bytes =
        std::string_view(slice).substr(0, got < 0 ? 0 : static_cast<std::size_t>(got));
    if (const int failed = try_write_at(to, bytes, at); failed != 0) {
      return failed;
    }
  }
}

/// Nothing of the old content can be had back, so no advice on one reason fits.
Error half_written(const std::string& said, std::uint64_t written, int error_number) {
  return Error(ErrorCode::io, "path: \"" + said + "\": " + system_reason(error_number) +
                                  "; the file is half written: its first " + std::to_string(written) +
                                  " bytes are new, as it was written in place (another file cannot have its "
                                  "name). Mend the reason, and write the whole again");
}

bool all_zero(std::string_view content) {
  return !content.empty() && content.find_first_not_of('\0') == std::string_view::npos;
}

/// Writes `content` at the end of a file. Zeros become a hole: they are not written.
void append_at(const UniqueFd& fd, std::string_view content, std::uint64_t offset, const std::string& said) {
  if (all_zero(content)) {
    if (::ftruncate(fd.get(), static_cast<off_t>(offset + content.size())) != 0) {
      throw file_error(said, errno);
    }
    return;
  }
  write_at(fd, content, offset, said);
}

/// The byte that a writer of this program marks in the file that it has locked, so that others know it. Far
/// behind any content: nobody else locks it alone.
constexpr off_t kMarkedByte = off_t{1} << 60U;

struct flock the_mark(short type) {
  struct flock mark{};
  mark.l_type = type;
  mark.l_whence = SEEK_SET;
  mark.l_start = kMarkedByte;
  mark.l_len = 1;
  return mark;
}

/// Whether a writer of this program has the lock of an open file.
bool is_marked(const UniqueFd& file) {
  struct flock mark = the_mark(F_WRLCK);
  return ::fcntl(file.get(), F_OFD_GETLK, &mark) == 0 && mark.l_type == F_RDLCK &&
         mark.l_start == kMarkedByte && mark.l_len == 1;
}

bool same_file(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

PartFile part_file_of(const UniqueFd& file, const std::string& said) {
  const struct stat info = info_of(file, said);
  struct statx more{};
  const bool knows_birth =
      ::statx(file.get(), "", AT_EMPTY_PATH, STATX_BTIME, &more) == 0 && (more.stx_mask & STATX_BTIME) != 0;
  constexpr std::int64_t kNanoseconds = 1'000'000'000;
  return {info.st_dev, info.st_ino,
          knows_birth ? more.stx_btime.tv_sec * kNanoseconds + more.stx_btime.tv_nsec : 0,
          static_cast<std::uint64_t>(info.st_size)};
}

/// Whether the name of a file, or the directory that has it, is what cannot be written, and not the file.
bool is_of_the_name(int error_number) {
  return error_number == EACCES || error_number == EPERM || error_number == EROFS || error_number == EBUSY;
}

}  // namespace

FreshFile::~FreshFile() {
  if (fate_ == Fate::kept || !fd_) {
    return;
  }
  if (!request_.piece || request_.piece == FilePiece::first) {
    ::unlinkat(where_.directory.get(), name_.c_str(), 0);
  } else if (before_) {
    cut_back();
  }
}

/// So that the same part can be sent again.
void FreshFile::cut_back() noexcept {
  static_cast<void>(::fchown(fd_.get(), ::geteuid(), static_cast<gid_t>(-1)) < 0);
  static_cast<void>(::fchmod(fd_.get(), 0600) < 0);
  static_cast<void>(::ftruncate(fd_.get(), static_cast<off_t>(*before_)) < 0);
}

bool FreshFile::abandon() {
  Fate fate = Fate::waiting;
  return fate_.compare_exchange_strong(fate, Fate::abandoned) || fate == Fate::abandoned;
}

void FreshFile::write() {
  where_ = open_parent(place_, request_.create_parents);
  old_ = open_to_replace(where_);
  if (request_.piece) {
    write_part();
  } else {
    write_whole();
  }
}

/// None, with errno, where it cannot be made.
UniqueFd FreshFile::make_file() {
  // A file that may be private is never readable by others. Another gets the mode that the umask leaves: only
  // the kernel can read the umask without changing it.
  const bool may_be_private = request_.piece || request_.mode || old_.fd;
  const int flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  return UniqueFd(::openat(where_.directory.get(), name_.c_str(), flags, may_be_private ? 0600 : 0666));
}

void FreshFile::write_whole() {
  name_ = ".terminally-" + random_hex(8) + ".new";
  fd_ = make_file();
  if (!fd_ && old_.fd && is_of_the_name(errno)) {
    why_in_place_ = errno;
    name_.clear();
    fd_.reset(::memfd_create("terminally-new", MFD_CLOEXEC));
  }
  if (!fd_) {
    throw cannot_make(where_, errno);
  }
  write_at(fd_, request_.content, 0, where_.said);
  make_durable();
}

/// The Error for a file of parts that could not be made.
Error FreshFile::cannot_make_part(int error_number) const {
  const Error plain = cannot_make(where_, error_number);
  return old_.fd && is_of_the_name(error_number)
             ? Error(plain.code(),
                     std::string(plain.what()) +
                         ". Parts need a file beside it, and so does cp: a whole write in one call "
                         "goes into the file itself")
             : plain;
}

/// Opens the file of the parts and locks it. Only the first part makes it.
void FreshFile::open_part() {
  UniqueFd part = open_named(where_, name_, O_RDWR).fd;
  if (!part && request_.piece != FilePiece::first) {
    has_parts_ = false;
    throw wrong_write("part: there are no parts of \"" + where_.said + "\"; begin with part \"first\"");
  }
  if (!part) {
    part = make_file();
  }
  if (!part && errno != EEXIST) {
    throw cannot_make_part(errno);
  }
  const std::optional<struct stat> named = named_info(where_, name_);
  if (!part || !try_lock_open_file(part) || !named || !same_file(info_of(part, where_.said), *named)) {
    return;  // another call has it, or has just renamed or removed it
  }
  const struct stat ours = info_of(part, where_.said);
  if (ours.st_uid != ::geteuid() || ours.st_nlink != 1 || (ours.st_mode & 0077U) != 0) {
    throw Error(ErrorCode::io,
                "path: \"" + where_.said + "\": its part " + name_ +
                    " belongs to another user, has other links or is open to others; remove it");
  }
  fd_ = std::move(part);
}

/// Gives the parts a new file while the old one is open, so that who writes the old ones can tell.
void FreshFile::begin_anew() {
  const UniqueFd old = std::move(fd_);
  ::unlinkat(where_.directory.get(), name_.c_str(), 0);
  UniqueFd part = make_file();
  if (!part && errno != EEXIST) {
    throw cannot_make_part(errno);
  }
  if (part && try_lock_open_file(part)) {
    fd_ = std::move(part);
  }
}

void FreshFile::refuse_parts_of_others() {
  if (part_ == part_file_of(fd_, where_.said)) {
    return;
  }
  has_parts_ = false;
  throw wrong_write(part_ ? "part: somebody else wrote parts of \"" + where_.said +
                                "\" since the last one of this server; nothing of this one was kept. Begin "
                                "again with part \"first\""
                          : "part: the parts of \"" + where_.said +
                                "\" that are there were not begun by this server; nothing of this one was "
                                "kept. Begin again with "
                                "part \"first\", or ask by a \"next\" without content how much is there, and "
                                "go on behind it");
}

void FreshFile::write_part() {
  name_ = part_name_of(where_.name);
  const bool only_asks = request_.piece == FilePiece::next && request_.content.empty();
  if (only_asks && !named_info(where_, name_)) {
    part_.reset();
    return;
  }
  open_part();
  const bool begins = request_.piece == FilePiece::first;
  if (fd_ && begins && info_of(fd_, where_.said).st_size != 0) {
    begin_anew();
  }
  if (!fd_) {
    throw Error(ErrorCode::busy,
                "path: \"" + where_.said + "\": another call is writing it in parts; try again");
  }
  if (!begins && !only_asks) {
    refuse_parts_of_others();
  }
  part_ = part_file_of(fd_, where_.said);
  before_ = begins ? 0 : part_->bytes;
  try {
    append_at(fd_, request_.content, *before_, where_.said);
  } catch (const Error& error) {
    throw begins
        ? error
        : Error(error.code(), std::string(error.what()) + ". The parts before it stay beside the file, in " +
                                  name_ + ": remove that to give them up");
  }
  part_->bytes = *before_ + request_.content.size();
  if (request_.piece == FilePiece::last) {
    make_durable();
    return;
  }
  Fate fate = Fate::waiting;
  fate_.compare_exchange_strong(fate, Fate::kept);
}

std::string FreshFile::part_path() const {
  const std::size_t slash = place_.absolute.rfind('/');
  return file_uri(place_.absolute.substr(0, slash + 1) + name_);
}

void FreshFile::make_durable() const {
  if (::fsync(fd_.get()) != 0 && errno != EINVAL) {  // EINVAL: a file system without fsync
    throw file_error(where_.said, errno);
  }
}

FileScan FreshFile::scan() const {
  OpenFile file;
  file.fd.reset(::fcntl(fd_.get(), F_DUPFD_CLOEXEC, 3));
  if (!file.fd) {
    throw file_error(where_.said, errno);
  }
  return {std::move(file), where_.said};
}

FreshFile::Lock FreshFile::try_lock() {
  old_ = open_to_replace(where_);
  if (!old_.fd) {
    return Lock::held;
  }
  try {
    if (!try_lock_open_file(old_.fd)) {
      return is_marked(old_.fd) ? Lock::of_ours : Lock::of_others;
    }
  } catch (const Error&) {
    return Lock::none;
  }
  struct flock mark = the_mark(F_RDLCK);
  static_cast<void>(::fcntl(old_.fd.get(), F_OFD_SETLK, &mark) < 0);
  const std::optional<struct stat> named = named_info(where_, where_.name);
  return named && same_file(*named, old_.info) ? Lock::held : Lock::of_ours;  // else it was just replaced
}

std::optional<FileScan> FreshFile::replaced() const {
  if (request_.expected_sha256.empty() || request_.expected_sha256 == kAbsent || !old_.fd) {
    return std::nullopt;
  }
  return FileScan(open_named(where_, where_.name, O_RDONLY), where_.said);
}

void FreshFile::compare(const std::string& there) const {
  const std::string& expected = request_.expected_sha256;
  if (expected.empty() || (old_.fd ? expected == there : expected == kAbsent)) {
    return;
  }
  const std::string is = !old_.fd              ? "does not exist"
                         : expected == kAbsent ? "exists already"
                                               : "has SHA-256 " + there + ", not " + expected;
  const bool same = old_.fd && !request_.piece && there == sha256_hex(request_.content);
  throw wrong_write("expected_sha256: \"" + where_.said + "\" " + is + "; nothing was written" +
                    (same      ? ". It already has the content of this call"
                     : old_.fd ? "; read it again"
                               : ""));
}

/// The mode of a new file by umask and directory: only the kernel reads the umask without changing it.
mode_t FreshFile::mode_of_new() const {
  const std::string name = ".terminally-" + random_hex(8) + ".new";
  const UniqueFd made(
      ::openat(where_.directory.get(), name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  struct stat info{};
  const bool known = made && ::fstat(made.get(), &info) == 0;
  if (made) {
    ::unlinkat(where_.directory.get(), name.c_str(), 0);
  }
  return known ? info.st_mode & 0777U : 0600U;
}

/// Parts take their time: their mode was chosen when the file may have been open to more people.
AskedMode FreshFile::asked_mode() const {
  return {request_.mode, !request_.piece};
}

bool FreshFile::put_in_place() {
  if (name_.empty()) {
    write_in_place(why_in_place_);
    return true;
  }
  if (old_.fd) {
    notes_ = keep_access(fd_, old_, asked_mode(), where_.said);
  } else if ((request_.mode || request_.piece) &&
             ::fchmod(fd_.get(), request_.mode ? *request_.mode : mode_of_new()) != 0) {
    throw file_error(where_.said, errno);
  }
  const int in = where_.directory.get();
  // A name that was free may have a file by now, of a program that takes no lock, or of ours.
  int failed = ::renameat2(in, name_.c_str(), in, where_.name.c_str(), old_.fd ? 0U : RENAME_NOREPLACE);
  if (failed != 0 && errno == EINVAL && !old_.fd) {
    failed = ::renameat(in, name_.c_str(), in, where_.name.c_str());  // without RENAME_NOREPLACE
  }
  if (failed != 0 && errno == EEXIST && request_.expected_sha256 != kAbsent) {
    return false;
  }
  if (failed != 0 && errno == EEXIST) {
    throw wrong_write("expected_sha256: \"" + where_.said + "\" exists already; nothing was written");
  }
  if (failed != 0 && old_.fd && is_of_the_name(errno)) {
    write_in_place(errno);
  } else if (failed != 0) {
    throw file_error(where_.said, errno);
  }
  fate_ = Fate::kept;
  static_cast<void>(::fsync(in));
  old_ = {};
  return true;
}

/// Writes the new content over the old one. The room is reserved first, for its holes, too: a full disk
/// leaves the old content. Where room cannot be reserved, or it is of no use, the file may end half written.
void FreshFile::write_in_place(int why) {
  const UniqueFd to = reopen(old_.fd, O_WRONLY);
  if (!to) {
    throw access_refused(where_.said, errno, old_.info);
  }
  const off_t had = info_of(to, where_.said).st_size;
  const off_t size = info_of(fd_, where_.said).st_size;
  const int no_room = size > 0 ? ::posix_fallocate(to.get(), 0, size) : 0;
  if (no_room == ENOSPC || no_room == EFBIG || no_room == EDQUOT) {
    static_cast<void>(::ftruncate(to.get(), had) < 0);
    throw file_error(where_.said, no_room);
  }
  // What it may not be any more it is not while the new content comes, either: root's writes keep setuid.
  const mode_t had_mode = old_.info.st_mode & 07777U;
  std::vector<std::string> on_mode;
  const mode_t mode = asked_mode().over(had_mode & ~static_cast<mode_t>(S_ISUID | S_ISGID), on_mode);
  if ((had_mode & ~mode) != 0) {
    static_cast<void>(::fchmod(to.get(), had_mode & mode) < 0);
  }
  std::uint64_t written = 0;
  int failed = copy_over(fd_, to, written);
  if (failed != 0) {
    static_cast<void>(::ftruncate(to.get(), std::max(had, static_cast<off_t>(written))) < 0);
  } else if (::ftruncate(to.get(), size) != 0 || (::fsync(to.get()) != 0 && errno != EINVAL)) {
    failed = errno;
  }
  if (failed != 0) {
    throw half_written(where_.said, written, failed);
  }
  notes_ = {"written in place, so that a reader may have seen a part: another file cannot have its name (" +
            system_reason(why) + ")"};
  std::ranges::move(note_on_setuid(had_mode), std::back_inserter(notes_));
  std::ranges::move(on_mode, std::back_inserter(notes_));
  if (::fchmod(to.get(), mode) != 0) {
    const int why_not = errno;
    if (const mode_t is = info_of(to, where_.said).st_mode & 07777U; is != mode) {
      notes_.push_back("its mode stays " + octal_mode(is) + ": " + system_reason(why_not));
    }
  }
  if (!name_.empty()) {
    ::unlinkat(where_.directory.get(), name_.c_str(), 0);
  }
  fate_ = Fate::kept;
}

}  // namespace terminally
