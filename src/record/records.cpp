// Appends command records to the file of a tab, reads them back, and rewrites the file when it is large.
#include "record/records.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <functional>
#include <ranges>
#include <set>
#include <thread>
#include <utility>

#include "base/error.hpp"
#include "base/files.hpp"
#include "log/backward_lines.hpp"

namespace terminally {
namespace {

/// How long another process may take to rewrite the file before we append all the same.
constexpr int kLockTries = 50;
constexpr std::chrono::milliseconds kLockPause{1};
/// How often the file may be replaced while we append without the lock.
constexpr int kReplacedTimes = 5;

/// The id of a line, found without parsing: within a JSON string the quotes would be escaped.
std::string_view id_of(std::string_view line) {
  static constexpr std::string_view kBefore = R"("id":")";
  const std::size_t begin = line.find(kBefore);
  const std::size_t end = begin == std::string_view::npos ? begin : line.find('"', begin + kBefore.size());
  return end == std::string_view::npos ? std::string_view()
                                       : line.substr(begin + kBefore.size(), end - begin - kBefore.size());
}

/// Whether a line is not torn: it ends as a record does, and has the last field that every record has.
bool is_whole(std::string_view line) {
  return line.starts_with('{') && line.ends_with('}') && !id_of(line).empty() &&
         line.find(R"("cwd":")") != std::string_view::npos;
}

bool is_named(int fd, const std::filesystem::path& path) {
  struct stat ours{};
  struct stat named{};
  return ::fstat(fd, &ours) == 0 && ::stat(path.c_str(), &named) == 0 && ours.st_ino == named.st_ino &&
         ours.st_dev == named.st_dev;
}

struct OpenRecords {
  UniqueFd fd;
  bool locked = false;  ///< against a rewrite; false where a stopped process holds the lock
};

/// Opens the file that has the name now: a rewrite may have replaced it while we waited.
OpenRecords open_locked(const std::filesystem::path& path) {
  for (int attempt = 0;; ++attempt) {
    UniqueFd fd(
        ::open(path.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600));
    if (!fd) {
      throw io_error("cannot open " + path.string() + " for writing", errno);
    }
    refuse_unless_regular(fd.get(), path);
    const bool locked = ::flock(fd.get(), LOCK_EX | LOCK_NB) == 0;
    if (!locked && attempt < kLockTries) {
      std::this_thread::sleep_for(kLockPause);
      continue;
    }
    if (!locked || is_named(fd.get(), path)) {
      return {std::move(fd), locked};
    }
  }
}

/// Returns how many bytes were written; with errno, fewer than all.
std::size_t write_some(int fd, std::string_view text) {
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t written = ::write(fd, text.data() + done, text.size() - done);
    if (written < 0 && errno != EINTR) {
      break;
    }
    done += static_cast<std::size_t>(std::max<ssize_t>(written, 0));
  }
  return done;
}

/// Cuts a line off that did not fit, unless another process has appended after it without the lock.
void give_back(int fd, off_t from, std::size_t bytes) {
  struct stat info{};
  if (::fstat(fd, &info) == 0 && info.st_size == from + static_cast<off_t>(bytes)) {
    (void)!::ftruncate(fd, from);
  }
}

/// The bytes of a file from this offset on.
std::string tail_of(int fd, off_t from) {
  std::string tail;
  char buffer[4096];
  for (ssize_t got = 1; got > 0;) {
    got = ::pread(fd, buffer, sizeof buffer, from + static_cast<off_t>(tail.size()));
    tail.append(buffer, static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  }
  return tail;
}

/// Rewrites the file with the last line of each of the last commands, oldest first. Parses nothing, and so
/// takes a few milliseconds. `fd`: the locked file.
void rewrite(int fd, const std::filesystem::path& path, std::size_t most_bytes) {
  const off_t seen_bytes = ::lseek(fd, 0, SEEK_END);
  std::vector<std::string> kept;
  std::set<std::string, std::less<>> seen;
  std::size_t bytes = 0;
  BackwardLines lines(path);
  while (kept.size() < CommandRecords::kKeptCommands) {
    const auto line = lines.next();
    if (!line) {
      break;
    }
    if (is_whole(*line) && seen.emplace(id_of(*line)).second) {
      bytes += line->size() + 1;
      if (!kept.empty() && bytes > std::min(most_bytes, CommandRecords::kKeptBytes)) {
        break;
      }
      kept.emplace_back(*line);
    }
  }
  std::string content;
  content.reserve(bytes);
  for (const std::string& line : std::views::reverse(kept)) {
    content += line + "\n";
  }
  const FileLock fresh = replace_file_locked(path, content);
  // Lines that others appended to the old file without the lock. Later appends see that it was replaced.
  (void)write_some(fresh.fd(), tail_of(fd, seen_bytes));
}

/// No file of ours may grow beyond the limit of file sizes (ulimit -f).
std::size_t bytes_until_rewrite() {
  rlimit limit{};
  const bool limited = ::getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  return limited ? std::min<std::size_t>(CommandRecords::kRewriteBytes, limit.rlim_cur / 2)
                 : CommandRecords::kRewriteBytes;
}

/// Appends all lines or none. False: the file was replaced meanwhile, and the new one may lack them.
bool append_once(const std::filesystem::path& path, const std::vector<std::string>& lines) {
  const OpenRecords file = open_locked(path);
  const int fd = file.fd.get();
  struct stat info{};
  char last = '\n';
  if (::fstat(fd, &info) == 0 && info.st_size > 0) {
    (void)!::pread(fd, &last, 1, info.st_size - 1);
  }
  // A line that was torn by a power loss stays alone.
  std::string text = last == '\n' ? "" : "\n";
  for (const std::string& line : lines) {
    text += line;
  }
  if (const std::size_t written = write_some(fd, text); written < text.size()) {
    const int why = errno;
    if (file.locked) {
      give_back(fd, info.st_size, written);
      ::flock(fd, LOCK_UN);
    }
    throw io_error("cannot write " + path.string(), why);
  }
  if (!file.locked) {
    return is_named(fd, path);
  }
  if (static_cast<std::size_t>(info.st_size) > bytes_until_rewrite()) {
    try {
      rewrite(fd, path, bytes_until_rewrite() / 2);
    } catch (const Error&) {  // NOLINT(bugprone-empty-catch): the next one tries again; the line is written
    }
  }
  ::flock(fd, LOCK_UN);  // not by closing alone: a child that is being spawned has a copy
  return true;
}

void append_lines(const std::filesystem::path& path, const std::vector<std::string>& lines) {
  for (int times = 0; times < kReplacedTimes && !append_once(path, lines); ++times) {
  }
}

}  // namespace

/// The lines that are kept in memory, then those on disk.
class CommandRecords::NewestFirst {
 public:
  explicit NewestFirst(const CommandRecords& records) : records_(records), left_(records.kept_.size()) {}

  std::optional<std::string_view> next() {
    if (left_ > 0) {
      const std::string_view line = records_.kept_[--left_];
      return line.substr(0, line.size() - 1);
    }
    try {
      if (!on_disk_) {
        on_disk_.emplace(records_.path_);
      }
      return on_disk_->next();
    } catch (const Error&) {
      if (records_.for_sure_) {
        throw;
      }
      return std::nullopt;
    }
  }

 private:
  const CommandRecords& records_;
  std::size_t left_;
  std::optional<BackwardLines> on_disk_;  ///< opened when those in memory are through
};

CommandRecords CommandRecords::to_be_read_for_sure() const {
  CommandRecords same = *this;
  same.for_sure_ = true;
  return same;
}

std::string CommandRecords::append(const CommandRecord& record) {
  const auto same = [&record](const std::string& line) { return id_of(line) == record.id; };
  std::erase_if(kept_, same);
  if (kept_.size() >= kKeptCommands) {
    kept_.erase(kept_.begin());
  }
  kept_.push_back(encode_record(record));
  try {
    append_lines(path_, kept_);
    kept_.clear();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

bool CommandRecords::write_kept() {
  try {
    if (!kept_.empty()) {
      append_lines(path_, kept_);
      kept_.clear();
    }
  } catch (const Error&) {  // NOLINT(bugprone-empty-catch): the next one tries again
  }
  return kept_.empty();
}

std::vector<CommandRecord> CommandRecords::load(std::size_t most) const {
  std::vector<CommandRecord> records;
  std::set<std::string, std::less<>> seen;
  NewestFirst lines(*this);
  while (records.size() < most) {
    const auto line = lines.next();
    if (!line) {
      break;
    }
    if (is_whole(*line) && !seen.contains(id_of(*line))) {
      if (auto record = decode_record(*line)) {
        seen.insert(record->id);
        if (!record->withdrawn) {
          records.push_back(std::move(*record));
        }
      }
    }
  }
  std::reverse(records.begin(), records.end());
  return records;
}

bool CommandRecords::any_has(std::string_view text, std::size_t most) const {
  std::set<std::string, std::less<>> seen;
  NewestFirst lines(*this);
  while (const auto line = lines.next()) {
    if (!is_whole(*line) || seen.contains(id_of(*line))) {
      continue;
    }
    seen.emplace(id_of(*line));
    if (line->find(R"("withdrawn":true)") != std::string_view::npos) {
      continue;
    }
    if (line->find(text) != std::string_view::npos) {
      return true;
    }
    if (--most == 0) {
      return false;
    }
  }
  return false;
}

std::optional<CommandRecord> CommandRecords::latest() const {
  auto records = load(1);
  return records.empty() ? std::nullopt : std::optional(std::move(records.back()));
}

std::optional<CommandRecord> CommandRecords::find(std::string_view id) const {
  NewestFirst lines(*this);
  while (const auto line = lines.next()) {
    if (id_of(*line) == id) {
      if (auto record = decode_record(*line)) {
        return record->withdrawn ? std::nullopt : std::move(record);
      }
    }
  }
  return std::nullopt;
}

}  // namespace terminally
