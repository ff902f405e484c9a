// Lists, reads and writes files on a worker thread, each call within a time limit.
#include "files/file_access.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "files/file_listing.hpp"
#include "files/file_scan.hpp"
#include "files/file_uri.hpp"
#include "files/file_write.hpp"

namespace terminally {
namespace {

/// How long a write waits for the directory's lock: with expected_sha256, then it fails; without, then it
/// goes on, because another program may hold the lock for hours (`flock . make`).
constexpr Milliseconds kWaitsForLock{10'000};
constexpr Milliseconds kWouldLikeLock{1'000};
constexpr Milliseconds kBetweenTries{5};
/// The cost of one step of long work, in bytes: less than any whole piece of work.
constexpr std::uint64_t kStepCost = 1;

FilePart known_of(const OpenFile& file) {
  FilePart part;
  part.size = static_cast<std::uint64_t>(file.info.st_size);
  part.mode = file.info.st_mode & 07777U;
  part.mtime_ms = mtime_ms_of(file.info);
  return part;
}

/// The name that `after` gives: a name, or the URI of an entry.
std::string name_behind(const std::string& after) {
  if (!is_file_uri(after)) {
    return after;
  }
  const std::string path = path_of_file_uri(after).value_or("");
  return path.substr(path.rfind('/') + 1);
}

Error not_that_whole(const WriteFile& request) {
  return {ErrorCode::invalid_argument,
          "sha256: what was written to \"" + request.path +
              "\" hashes to something else: its source changed meanwhile, or another call wrote parts of it; "
              "nothing was replaced. Send all of it again"};
}

}  // namespace

FileAccess::FileAccess(FileRoots roots, Milliseconds patience)
    : roots_(std::move(roots)), patience_(patience) {}

Awaitable<void> FileAccess::beside(std::uint64_t bytes, std::function<void()> work) {
  return worker_.run(bytes, std::move(work));
}

Awaitable<void> FileAccess::give_time(std::string said, Awaitable<void> work) {
  const bool in_time =
      co_await finish_by(Clock::now() + patience_, std::move(work));  // not in an if: CONTRIBUTING.md
  if (!in_time) {
    throw Error(ErrorCode::io, "path: \"" + said + "\": timed out after " +
                                   std::to_string(patience_.count()) +
                                   " ms: the file system hangs or the file is very large; a write may still "
                                   "complete");
  }
}

Awaitable<FileList> FileAccess::list(ListFiles request) {
  FilePlaceInRoot place = roots_.find(request.path);
  const auto list = std::make_shared<FileList>();
  std::string said = request.path;
  request.after = name_behind(request.after);
  Awaitable<void> work = do_list(std::move(place), std::move(request), list);
  co_await give_time(std::move(said), std::move(work));
  co_return std::move(*list);
}

Awaitable<void> FileAccess::do_list(FilePlaceInRoot place, ListFiles request,
                                    std::shared_ptr<FileList> list) {
  std::function<void()> work = [place = std::move(place), request = std::move(request), list] {
    *list = list_entries(place, request);
  };
  co_await worker_.run(kStepCost, std::move(work));
}

Awaitable<bool> FileAccess::is_directory(std::string path) {
  ListFiles request;
  request.path = std::move(path);
  request.max_entries = 1;
  try {
    static_cast<void>(co_await list(std::move(request)));
  } catch (const Error&) {
    co_return false;
  }
  co_return true;
}

Awaitable<FilePart> FileAccess::read(ReadFile request) {
  FilePlaceInRoot place = roots_.find(request.path);
  const auto part = std::make_shared<FilePart>();
  std::string said = request.path;
  Awaitable<void> work = do_read(std::move(place), std::move(request), part);
  co_await give_time(std::move(said), std::move(work));
  co_return std::move(*part);
}

Awaitable<void> FileAccess::do_read(FilePlaceInRoot place, ReadFile request, std::shared_ptr<FilePart> part) {
  const auto scan = std::make_shared<std::shared_ptr<FileScan>>();  // none: too large for a hash by each read
  std::function<void()> open = [place = std::move(place), request, scan, part] {
    OpenFile file = open_file_to_read(place);
    *part = known_of(file);
    if (part->size <= kHashedAtEachRead || request.max_bytes == 0) {
      *scan = std::make_shared<FileScan>(std::move(file), place.said, request.offset, request.max_bytes);
    } else {
      part->content = read_range(file, request.offset, request.max_bytes, place.said);
    }
  };
  co_await worker_.run(kStepCost, std::move(open));
  if (*scan) {
    co_await read_to_end(*scan);
    part->size = (*scan)->size();
    part->sha256 = (*scan)->sha256();
    part->content = (*scan)->kept();
  }
  const std::uint64_t read_to = request.offset + part->content.size();
  if (request.text) {
    part->content = text_of(std::move(part->content), request.offset, read_to < part->size);
  }
  part->next_offset = request.offset + part->content.size();
  part->eof = part->next_offset >= part->size;
}

Awaitable<WrittenFile> FileAccess::write(WriteFile request) {
  const auto fresh = std::make_shared<FreshFile>(roots_.find(request.path), request);
  const auto written = std::make_shared<WrittenFile>();
  std::string said = request.path;
  Awaitable<void> work = do_write(fresh, std::move(request), written);
  co_await give_time(std::move(said), std::move(work));
  co_return std::move(*written);
}

Awaitable<void> FileAccess::do_write(std::shared_ptr<FreshFile> fresh, WriteFile request,
                                     std::shared_ptr<WrittenFile> written) {
  written->bytes_written = request.content.size();
  std::function<void()> write = [fresh, written, whole = !request.piece, content = request.content] {
    fresh->write();
    if (whole) {
      written->sha256 = sha256_hex(content);
    }
  };
  co_await worker_.run(request.content.size(), std::move(write));
  if (request.piece) {
    written->part_bytes = fresh->part_bytes();
    if (request.piece != FilePiece::last) {
      written->part_path = fresh->part_path();
      co_return;
    }
    if (fresh->part_bytes() <= kHashedAtEachRead || !request.sha256.empty()) {
      const auto whole = std::make_shared<FileScan>(fresh->scan());
      co_await read_to_end(whole);
      written->sha256 = whole->sha256();
    }
  }
  if (!request.sha256.empty() && written->sha256 != request.sha256) {
    throw not_that_whole(request);
  }
  co_await lock(fresh, !request.expected_sha256.empty());
  const auto old = std::make_shared<std::optional<FileScan>>();
  std::function<void()> look = [fresh, old] { *old = fresh->replaced(); };
  co_await worker_.run(kStepCost, std::move(look));
  std::string there;
  if (*old) {
    const auto scan = std::make_shared<FileScan>(std::move(**old));
    co_await read_to_end(scan);
    there = scan->sha256();
  }
  std::function<void()> put = [fresh, there] {
    fresh->compare(there);
    fresh->put_in_place();
  };
  co_await worker_.run(kStepCost, std::move(put));
}

Awaitable<void> FileAccess::read_to_end(std::shared_ptr<FileScan> scan) {
  const auto more = std::make_shared<bool>(true);
  while (*more) {
    std::function<void()> step = [scan, more] { *more = scan->step(); };
    co_await worker_.run(kStepCost, std::move(step));
  }
}

/// Tries the lock again and again: waiting for it would block the thread for all others.
Awaitable<void> FileAccess::lock(std::shared_ptr<FreshFile> fresh, bool must) {
  const Clock::time_point give_up = Clock::now() + (must ? kWaitsForLock : kWouldLikeLock);
  const auto locked = std::make_shared<bool>(false);
  for (;;) {
    std::function<void()> attempt = [fresh, locked, must] {
      try {
        *locked = fresh->try_lock();
      } catch (const Error&) {
        if (must) {
          throw;
        }
        *locked = true;  // this file system has no locks, and this write needs none
      }
    };
    co_await worker_.run(kStepCost, std::move(attempt));
    if (*locked) {
      co_return;
    }
    if (Clock::now() >= give_up) {
      if (must) {
        throw Error(ErrorCode::busy,
                    "expected_sha256: another process holds a lock on the file's directory for over 10 s; "
                    "nothing was written");
      }
      co_return;
    }
    co_await sleep_for(kBetweenTries);
  }
}

}  // namespace terminally
